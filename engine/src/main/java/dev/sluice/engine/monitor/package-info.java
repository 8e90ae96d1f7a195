/**
 * Measures the running task, guards disks, and builds the status. Imports {@code
 * engine.replication}.
 */
package dev.sluice.engine.monitor;
