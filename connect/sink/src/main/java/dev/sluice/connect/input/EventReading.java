package dev.sluice.connect.input;

import dev.sluice.connect.envelope.DebeziumRecord;
import dev.sluice.connect.settings.RetainedSpace;
import java.util.function.Function;
import org.apache.kafka.connect.sink.SinkRecord;

/**
 * How the records of Debezium's connector are read. Immutable.
 *
 * @param reader reads one record
 * @param snapshotReplaces true if a snapshot's rows replace the rows of their table
 * @param space disk space for entries that may have to be read again
 */
public record EventReading(
    Function<SinkRecord, DebeziumRecord> reader, boolean snapshotReplaces, RetainedSpace space) {}
