package dev.sluice.sink.control.validation;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;
import dev.sluice.sink.control.schema.Checkpoint.SourceServer;
import dev.sluice.sink.intake.JournalOffset;
import java.util.Map;
import java.util.Objects;

/**
 * From where a start reads the keys of the journal again. Every row of a followed table that was
 * changed and not compared since is in the journal after that place. Immutable.
 *
 * @param from the place in the journal
 * @param journal what the place belongs to
 * @param tables the followed tables, each with the position from which it is: a pass that was begun
 *     there or later, and the changes since, are all of its rows
 */
public record RereadPoint(JournalOffset from, JournalState journal, Map<TableId, Position> tables) {
  public RereadPoint {
    Objects.requireNonNull(from, "from");
    tables = Map.copyOf(tables);
  }

  /**
   * What has to be the same when the journal is read again.
   *
   * @param topicId Kafka's id of the journal's topic
   * @param source the server whose log the journal has
   * @param lanes the number of lanes that apply it
   */
  public record JournalState(String topicId, SourceServer source, int lanes) {}
}
