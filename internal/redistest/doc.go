// Package redistest starts real redis-server processes for tests that compare
// with Redis or run on it. Each is on a free port of its own and ends with its
// test. A test that needs one says SKIP where the binary is not installed;
// with MYREDIS_TEST_STRICT set, as in continuous integration, it fails
// instead, so that nothing is left out unseen.
package redistest
