/**
 * What stands in the way of a cutover: what the cutover refuses, and what somebody must decide or
 * know before it. Changes nothing. Imports {@code engine.replication} and {@code
 * engine.cutover.hook}.
 */
package dev.sluice.engine.readiness;
