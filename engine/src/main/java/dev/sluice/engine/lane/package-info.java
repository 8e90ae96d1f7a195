/** Lanes: layout, journal readers, pipelines. Imports {@code engine.context}. */
package dev.sluice.engine.lane;
