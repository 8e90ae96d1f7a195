/** Runs lanes: layout, reader, pipeline. Imports {@code engine.context}. */
package dev.sluice.engine.lane;
