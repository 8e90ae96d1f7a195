/**
 * Checkpoints of lanes and partitions in the control schema. Imports {@code sink.control.schema}.
 */
package dev.sluice.sink.control.position;
