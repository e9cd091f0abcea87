package commands

import (
	"fmt"

	"myredis/internal/acl"
	"myredis/internal/config"
)

// Users that a configuration declares, in lines "user NAME RULES" or in a file
// of such lines (aclfile), which ACL LOAD and SAVE read and write. Both ways
// at once are refused, as in Redis.

// DeclareUsers lets a configuration declare users. It is called before the
// configuration is loaded; [Engine.LoadUsers] makes the users.
func DeclareUsers(cfg *config.Config) {
	users := acl.NewUsers(newCatalogue(Table()))
	cfg.OnDirective("user", config.Directive{Apply: func(args []string) error {
		// Redis names another word than the one at fault by mistake.
		if word, err := users.CheckDeclaration(args[0], args[1:], cfg.Users); err != nil {
			return fmt.Errorf("Error in user declaration '%s': %w", word, err)
		}
		cfg.Users = append(cfg.Users, args)
		return nil
	}})
}

// followUsers makes the users that there are without any declaration, and
// keeps up with the parameters that concern users.
func (e *Engine) followUsers() {
	e.users = acl.NewUsers(newCatalogue(e.rows))
	password := func() error { e.users.SetDefaultPassword(e.Config.Requirepass); return nil }
	channels := func() error { e.users.AllChannels = e.Config.ACLPubsubDefault == "allchannels"; return nil }
	password()
	channels()
	e.Config.OnChange("requirepass", password)
	e.Config.OnChange("acl-pubsub-default", channels)
}

// LoadUsers makes the users that the configuration declares. An error, which
// is worded for the log, means that the server must not start.
func (e *Engine) LoadUsers() error {
	cfg := e.Config
	if cfg.ACLFile != "" && len(cfg.Users) > 0 {
		return acl.Error("Configuring Redis with users defined in redis.conf and at the same setting an ACL file path is invalid. " +
			"This setup is very likely to lead to configuration errors and security holes, " +
			"please define either an ACL file or declare users directly in your redis.conf, but not both.")
	}
	for _, d := range cfg.Users {
		user, err := e.users.Declare(d[0], d[1:])
		if err != nil {
			return acl.Error("Critical error while loading ACLs. " + err.Error())
		}
		if !user.Enabled() {
			e.Log.Info(fmt.Sprintf("The user '%s' is disabled (there is no 'on' modifier in the user description). Make sure this is not a configuration error.", user.Name))
		}
	}
	if cfg.ACLFile != "" {
		if _, err := e.users.Load(cfg.Path(cfg.ACLFile), cfg.ACLFile); err != nil {
			return acl.Error("Aborting Redis startup because of ACL errors: " + err.Error())
		}
	}
	cfg.OnDirective("user", config.Directive{Lines: func() []string {
		if cfg.ACLFile != "" {
			return nil
		}
		return e.users.Lines()
	}})
	return nil
}

const errNoACLFile Error = "ERR This Redis instance is not configured to use an ACL file. You may want to specify users via the ACL SETUSER command and then issue a CONFIG REWRITE (assuming you have a Redis configuration file set) in order to store users in the Redis configuration."

func aclLoad(c *Call) error {
	e := c.Engine
	if e.Config.ACLFile == "" {
		return errNoACLFile
	}
	gone, err := e.users.Load(e.Config.Path(e.Config.ACLFile), e.Config.ACLFile)
	if err != nil {
		return errorf("ERR %v", err)
	}
	e.killUsers(gone, c.Client)
	return c.ok()
}

func aclSave(c *Call) error {
	e := c.Engine
	if e.Config.ACLFile == "" {
		return errNoACLFile
	}
	if err := e.users.Save(e.Config.Path(e.Config.ACLFile)); err != nil {
		e.Log.Warn(err.Error())
		return Error("ERR There was an error trying to save the ACLs. Please check the server logs for more information")
	}
	return c.ok()
}
