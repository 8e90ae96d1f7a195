package dev.sluice.engine.validate.followed;

import dev.sluice.config.Counted;
import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;
import dev.sluice.engine.validate.followed.JournalReread.Outcome;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.replay.ChangeReplay;
import dev.sluice.sink.touched.EarlierKeys;
import dev.sluice.sink.touched.TouchedKeys;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tables that an earlier daemon has followed, once their keys are read again from the journal.
 * Owned by the thread of the validation.
 */
final class CarriedTables implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(CarriedTables.class);

  private final ChangeReplay journal;
  private final Position start;
  private final TouchedKeys touched;

  /** The position from which each was followed. */
  private final Map<TableId, Position> tables = new HashMap<>();

  private Optional<JournalReread> reread = Optional.empty();
  private String news = "";

  /**
   * @param start the position from which changes of all tables are recorded now
   */
  CarriedTables(ChangeReplay journal, Position start, TouchedKeys touched) {
    this.journal = journal;
    this.start = start;
    this.touched = touched;
  }

  /** Begins to read the keys of the tables again. */
  void begin(JournalOffset from, Map<TableId, Position> followed) {
    tables.putAll(followed);
    if (tables.isEmpty()) {
      return;
    }
    news =
        "the keys of %s are read again from journal offset %d on"
            .formatted(Counted.of(tables.size(), "table"), from.nextOffset());
    LOG.info("validation: {}", news);
    JournalReread reading =
        new JournalReread(journal, from, start, tables.keySet(), touched.earlier());
    reread = Optional.of(reading);
    reading.start();
  }

  /** No table is restored. */
  void none(String why) {
    tables.clear();
    news = "tables are read again after the start: " + why;
    LOG.info("validation: {}", news);
  }

  /** As text; empty if there was nothing to restore. */
  String news() {
    return news;
  }

  /** The position from which a table is followed, if its keys are known. */
  Position since(TableId table) {
    return tables.getOrDefault(table, start);
  }

  /** Whether the keys of the table are still being read. */
  boolean isPending(TableId table) {
    return reread.isPresent() && tables.containsKey(table);
  }

  void retain(Set<TableId> replicated) {
    tables.keySet().retainAll(replicated);
  }

  /** Restores the tables that were read; returns whether the reading has ended. */
  boolean isKnown() {
    Optional<Outcome> outcome = reread.flatMap(JournalReread::outcome);
    if (reread.isPresent() && outcome.isPresent()) {
      JournalReread ended = reread.get();
      reread = Optional.empty();
      outcome.get().failure().ifPresentOrElse(this::none, () -> takeOver(ended));
    }
    return reread.isEmpty();
  }

  private void takeOver(JournalReread ended) {
    EarlierKeys keys = ended.keys();
    keys.voided()
        .forEach((table, at) -> tables.computeIfPresent(table, (any, since) -> since.max(at)));
    tables.keySet().removeAll(keys.lost());
    news =
        "the journal was read again from offset %d on for %s%s"
            .formatted(
                ended.from().nextOffset(),
                Counted.of(tables.size(), "table"),
                keys.lost().isEmpty()
                    ? ""
                    : "; too many rows were changed in %s, which are read again"
                        .formatted(Counted.of(keys.lost().size(), "other table")));
    LOG.info("validation: {}", news);
  }

  @Override
  public void close() {
    reread.ifPresent(JournalReread::close);
  }
}
