package dev.sluice.engine.load;

import dev.sluice.config.Problem;
import dev.sluice.config.TableId;
import dev.sluice.config.TableMappings;
import dev.sluice.connector.api.load.SequenceState;
import dev.sluice.connector.postgres.SourceServer;
import dev.sluice.connector.postgres.load.SequenceReader;
import dev.sluice.connector.postgres.load.SourceErrors;
import dev.sluice.sink.load.SequenceWriter;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sets the target's sequences to where the source's stand, for the cutover. Can be repeated: a
 * target sequence is never set back. Stateless; called by one thread.
 */
public final class SequenceCopy {
  private static final Logger LOG = LoggerFactory.getLogger(SequenceCopy.class);

  private SequenceCopy() {}

  /**
   * What was done.
   *
   * @param set each source sequence whose target sequence is at least as far now
   * @param missing one for each that has none on the target
   */
  public record Result(List<SequenceState> set, List<Problem> missing) {
    public Result {
      set = List.copyOf(set);
      missing = List.copyOf(missing);
    }
  }

  /**
   * Copies the sequences that columns of the tables own or take their default from; what is set is
   * durable when this returns.
   *
   * @param mappings what tables, sequences and columns are called on the target
   */
  public static Result copy(
      SourceServer source, TargetServer target, List<TableId> tables, TableMappings mappings) {
    List<SequenceState> set = new ArrayList<>();
    List<Problem> missing = new ArrayList<>();
    List<SequenceState> states = read(source, tables);
    try (TargetConnection connection = target.connect()) {
      SequenceWriter writer =
          new SequenceWriter(connection, mappings::targetOf, mappings.columns());
      for (SequenceState state : states) {
        Optional<TableId> found = writer.set(state);
        if (found.isPresent()) {
          set.add(state);
        } else {
          missing.add(missing(state, mappings.targetOf(state.sequence())));
        }
      }
      writer.commit();
    }
    LOG.info("sequences set on the target: {}, missing there: {}", set.size(), missing.size());
    return new Result(set, missing);
  }

  private static List<SequenceState> read(SourceServer source, List<TableId> tables) {
    try (Connection connection = source.connect()) {
      return new SequenceReader(connection).read(tables);
    } catch (SQLException e) {
      throw SourceErrors.classify("leave " + source, e);
    }
  }

  private static Problem missing(SequenceState state, TableId expected) {
    return new Problem(
        "target sequence " + expected,
        "is not there",
        "a sequence for " + state.table() + "." + state.column() + ", as on the source",
        "Create it, and set it to at least %d: SELECT setval('%s', %d, %s);"
            .formatted(
                state.lastValue(),
                expected.quoted().replace("'", "''"),
                state.lastValue(),
                state.called()));
  }
}
