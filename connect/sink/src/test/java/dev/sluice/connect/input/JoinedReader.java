package dev.sluice.connect.input;

import dev.sluice.config.settings.DataSize;
import dev.sluice.connect.envelope.DebeziumRecord;
import dev.sluice.connect.join.JoinRequests;
import dev.sluice.connect.join.SpillFiles;
import dev.sluice.connect.join.TransactionJoin;
import dev.sluice.connect.settings.RetainedSpace;
import dev.sluice.connector.api.ChangeCursor;
import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.ChangeEvent.Truncate;
import dev.sluice.connector.api.JournalRecord;
import dev.sluice.connector.api.JournalRecord.Frame;
import dev.sluice.connector.api.Position;
import dev.sluice.sink.control.position.PartitionOffset;
import dev.sluice.sink.intake.Intake;
import dev.sluice.sink.intake.IntakeResult;
import dev.sluice.sink.intake.IntakeResult.Part;
import dev.sluice.sink.intake.IntakeResult.Whole;
import dev.sluice.sink.intake.JournalEntry;
import dev.sluice.sink.intake.JournalOffset;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToIntFunction;
import org.apache.kafka.common.TopicPartition;

/**
 * Reads a script by a {@link JoinedInput} and does with its entries what the pipeline does. A
 * restart goes back to what was durable, as after a rebalance.
 */
final class JoinedReader implements AutoCloseable {
  private final SourceScript script;
  private final Path directory;
  private final long memory;
  private final DataSize disk;
  private final Set<String> topics = new HashSet<>();

  private final List<String> applied = new ArrayList<>();
  private final List<JournalOffset> places = new ArrayList<>();
  private final Map<TopicPartition, Long> read = new HashMap<>();
  private Map<TopicPartition, PartitionOffset> start = new HashMap<>();
  private Instant now = Instant.EPOCH;
  private ToIntFunction<String> partitions = topic -> (int) partitionsOf(topic);

  private PartitionOffsetLog log;
  private JoinedInput input;
  private Intake intake;
  private final List<String> open = new ArrayList<>();

  /**
   * @param memory that the join may take, bytes
   */
  JoinedReader(SourceScript script, Path directory, long memory) {
    this(script, directory, memory, DataSize.ofMebibytes(64));
  }

  /**
   * @param disk that one transaction may take
   */
  JoinedReader(SourceScript script, Path directory, long memory, DataSize disk) {
    this.disk = disk;
    this.script = script;
    this.directory = directory;
    this.memory = memory;
    script.logs().keySet().forEach(partition -> topics.add(partition.topic()));
    script.logs().keySet().forEach(partition -> start.put(partition, PartitionOffset.beginning(0)));
    places.add(JournalOffset.beginning(Position.ZERO));
    begin();
  }

  /** Transactions up to there are on the target, applied without the partition. */
  JoinedReader takenIn(TopicPartition partition, long applied) {
    Position position = new Position(applied);
    start.put(SourceScript.TRANSACTIONS, new PartitionOffset(0, position, 0));
    start.computeIfPresent(partition, (same, place) -> place.takenInAfter(position));
    input.close();
    begin();
    return this;
  }

  /** Partitions that the cluster has beside those that are assigned. */
  JoinedReader with(ToIntFunction<String> other) {
    partitions = other;
    return this;
  }

  /** Reads up to so many records of a partition; how many there were. */
  int read(TopicPartition partition, int count) {
    long from = read.get(partition);
    long to = Math.min(script.logs().get(partition).size(), from + count);
    input.take(script.records(partition, from, to), now);
    read.put(partition, to);
    give();
    return (int) (to - from);
  }

  void readAll() {
    script.logs().keySet().forEach(partition -> read(partition, Integer.MAX_VALUE));
  }

  /** Nothing is read for a time. */
  void pass(long seconds) {
    now = now.plusSeconds(seconds);
    give();
  }

  boolean hasMore(TopicPartition partition) {
    return read.get(partition) < script.logs().get(partition).size();
  }

  Set<TopicPartition> unwanted() {
    return input.unwanted();
  }

  /** The target has the first so many transactions, and another task goes on from there. */
  void restart(int durable) {
    input.durable(places.get(durable).nextOffset());
    start = log.at(places.get(durable).nextOffset());
    while (applied.size() > durable) {
      applied.remove(applied.size() - 1);
      places.remove(places.size() - 1);
    }
    input.close();
    begin();
  }

  List<String> applied() {
    return applied;
  }

  @Override
  public void close() {
    input.close();
  }

  private void begin() {
    JournalOffset place = places.get(places.size() - 1);
    Map<TopicPartition, PartitionOffset> tables = new HashMap<>(start);
    PartitionOffset transactions = tables.remove(SourceScript.TRANSACTIONS);
    KnownSchemas schemas = new KnownSchemas();
    TransactionJoin join =
        new TransactionJoin(
            new TransactionJoin.Start(
                transactions.commit(), SourceScript.TRANSACTIONS, transactions, tables),
            topics::contains,
            new Kafka(),
            new SpillFiles(directory.resolve("gathered"), memory, disk, schemas),
            memory);
    log = new PartitionOffsetLog(start);
    input =
        new JoinedInput(
            place,
            new EventReading(
                record -> (DebeziumRecord) record.value(),
                false,
                new RetainedSpace(directory.resolve("retained"), DataSize.ofMebibytes(64))),
            join,
            log,
            schemas);
    intake = new Intake(place);
    open.clear();
    read.clear();
    start.forEach((partition, at) -> read.put(partition, at.nextOffset()));
  }

  private void give() {
    List<JournalEntry> entries = input.next(true, now);
    while (!entries.isEmpty()) {
      entries.forEach(this::judge);
      entries = input.next(true, now);
    }
  }

  private void judge(JournalEntry entry) {
    IntakeResult result = intake.take(entry);
    if (result instanceof Part part) {
      add(part.record());
    } else if (result instanceof Whole whole) {
      add(whole.record());
      applied.add(String.join(" ", open));
      open.clear();
      places.add(
          new JournalOffset(
              whole.end().position(),
              whole.record().term(),
              whole.record().transaction(),
              whole.nextOffset()));
    }
  }

  private void add(JournalRecord record) {
    ChangeCursor changes = ((Frame) record).changes(input.schemas());
    while (changes.next()) {
      open.add(shown(changes.change()));
    }
  }

  private static String shown(ChangeEvent event) {
    if (event instanceof Truncate truncate) {
      return "x" + truncate.tables().stream().map(emptied -> emptied.table().name()).toList();
    }
    RowChange change = (RowChange) event;
    if (change.match() == null) {
      return "+" + change.row().text(1);
    }
    return change.row() == null ? "-" + change.match() : change.match() + "->" + change.row();
  }

  private final class Kafka implements JoinRequests {
    @Override
    public int partitions(String topic) {
      return partitions.applyAsInt(topic);
    }

    @Override
    public boolean hasRecords(TopicPartition partition, long from) {
      return from < script.logs().get(partition).size();
    }
  }

  private long partitionsOf(String topic) {
    return script.logs().keySet().stream().filter(p -> p.topic().equals(topic)).count();
  }
}
