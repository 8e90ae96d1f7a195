/**
 * The cutover: coordinator, steps, verdict, and the watch of the source afterwards. Imports {@code
 * engine.replication}.
 */
package dev.sluice.engine.cutover;
