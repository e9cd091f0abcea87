package commands

// Version is MyRedis's own.
const Version = "0.1.0"

// RedisVersion is the version of Redis whose behaviour this server has. It is
// what clients are told, since they choose by it what they may ask.
const RedisVersion = "7.0.15"
