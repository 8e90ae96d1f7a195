/** Processor time by stage of the whole path. */
package dev.sluice.bench.stage;
