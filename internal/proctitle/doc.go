// Package proctitle changes what ps and top show as a process's command line,
// as redis-server does by proc-title-template.
//
// On Linux that is the memory in which the kernel put the arguments, with the
// environment behind it, and a program may write there. Elsewhere nothing
// happens.
package proctitle
