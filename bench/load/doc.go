// Package load is what runs in the processes that make load: an open-loop
// generator of requests, a server that answers with nothing to do, so that the
// generator's own limit can be measured, and a crowd of waiting visitors. They
// are processes of their own so that the experiment's bookkeeping does not
// slow them down, and so that they can have processor cores of their own.
//
// Everything is told in JSON lines on standard output, after the load has
// ended, so that telling does not disturb what is told about.
package load
