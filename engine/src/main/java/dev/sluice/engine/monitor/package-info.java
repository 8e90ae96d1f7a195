/**
 * Measures the running task, guards disks, and draws the status. Imports {@code
 * engine.replication}.
 */
package dev.sluice.engine.monitor;
