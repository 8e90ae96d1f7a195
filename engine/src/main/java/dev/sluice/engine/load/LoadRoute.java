package dev.sluice.engine.load;

import dev.sluice.config.mappings.TableMappings;
import dev.sluice.connector.api.source.load.SourceReader;
import dev.sluice.sink.target.TargetServer;

/**
 * From where to where a load copies, and under which names. Immutable; its parts are threadsafe.
 *
 * @param mappings names, columns and filters of the tables
 */
public record LoadRoute(SourceReader source, TargetServer target, TableMappings mappings) {}
