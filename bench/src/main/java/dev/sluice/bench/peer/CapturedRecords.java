package dev.sluice.bench.peer;

import dev.sluice.bench.server.Database;
import dev.sluice.bench.server.Waiting;
import dev.sluice.bench.workload.Backlog;
import io.debezium.embedded.Connect;
import io.debezium.engine.DebeziumEngine;
import io.debezium.engine.DebeziumEngine.RecordCommitter;
import io.debezium.engine.RecordChangeEvent;
import io.debezium.engine.format.ChangeEventFormat;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.connect.sink.SinkRecord;
import org.apache.kafka.connect.source.SourceRecord;

/**
 * A backlog as Debezium's PostgreSQL connector hands it to Kafka Connect, with the connector's
 * defaults: envelopes with schemas, a topic for each table, in the order of the log. Kept in
 * memory. Filled by the engine's thread, read by the benchmark's after that.
 */
final class CapturedRecords {
  static final String SLOT = "records";

  private static final String PREFIX = "bench";

  private final List<SinkRecord> records;

  private CapturedRecords(List<SinkRecord> records) {
    this.records = records;
  }

  /** Captures everything from the slot {@value #SLOT} on. */
  static CapturedRecords of(Database source, Backlog backlog, Duration limit)
      throws SQLException, InterruptedException, IOException {
    List<SinkRecord> records = new ArrayList<>();
    AtomicReference<Throwable> failure = new AtomicReference<>();
    DebeziumEngine<RecordChangeEvent<SourceRecord>> engine =
        DebeziumEngine.create(ChangeEventFormat.of(Connect.class))
            .using(properties(source))
            .using((success, message, error) -> failure.set(error))
            .notifying((batch, committer) -> take(batch, committer, records))
            .build();
    Thread thread = new Thread(engine, "records");
    thread.start();
    try {
      Waiting.until(
          "Debezium to capture " + backlog.changes() + " changes",
          limit,
          () -> {
            if (failure.get() != null) {
              throw new IllegalStateException("Debezium ended: " + failure.get(), failure.get());
            }
            synchronized (records) {
              return records.size() >= backlog.changes();
            }
          });
    } finally {
      engine.close();
      thread.join();
    }
    return new CapturedRecords(records);
  }

  List<SinkRecord> records() {
    return records;
  }

  private static void take(
      List<RecordChangeEvent<SourceRecord>> batch,
      RecordCommitter<RecordChangeEvent<SourceRecord>> committer,
      List<SinkRecord> records)
      throws InterruptedException {
    synchronized (records) {
      for (RecordChangeEvent<SourceRecord> event : batch) {
        SourceRecord record = event.record();
        records.add(
            new SinkRecord(
                record.topic(),
                0,
                record.keySchema(),
                record.key(),
                record.valueSchema(),
                record.value(),
                records.size(),
                record.timestamp(),
                TimestampType.CREATE_TIME,
                record.headers()));
      }
    }
    for (RecordChangeEvent<SourceRecord> event : batch) {
      committer.markProcessed(event);
    }
    committer.markBatchFinished();
  }

  private static Properties properties(Database source) {
    Properties properties = new Properties();
    properties.setProperty("name", "bench-records");
    properties.setProperty("connector.class", "io.debezium.connector.postgresql.PostgresConnector");
    properties.setProperty("topic.prefix", PREFIX);
    properties.setProperty("database.hostname", "127.0.0.1");
    properties.setProperty("database.port", Integer.toString(source.port()));
    properties.setProperty("database.dbname", source.name());
    properties.setProperty("database.user", Database.USER);
    properties.setProperty("database.password", "");
    properties.setProperty("plugin.name", "pgoutput");
    properties.setProperty("slot.name", SLOT);
    properties.setProperty("publication.name", Backlog.PUBLICATION);
    properties.setProperty("publication.autocreate.mode", "disabled");
    properties.setProperty("snapshot.mode", "no_data");
    properties.setProperty("tombstones.on.delete", "false");
    properties.setProperty(
        "offset.storage", "org.apache.kafka.connect.storage.MemoryOffsetBackingStore");
    return properties;
  }
}
