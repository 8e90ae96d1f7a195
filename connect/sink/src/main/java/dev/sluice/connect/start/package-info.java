/**
 * Starts a sink in a task of Connect: what it reads, and from which offsets. Imports {@code
 * connect.input}.
 */
package dev.sluice.connect.start;
