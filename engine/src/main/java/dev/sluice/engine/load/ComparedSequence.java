package dev.sluice.engine.load;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.connector.api.load.SequenceState;
import dev.sluice.load.SequenceWriter;
import dev.sluice.load.target.LoadDialects;
import dev.sluice.load.target.TargetSequence;
import dev.sluice.load.target.TargetSequences;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetServer;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A sequence of the source, and the one of the target that goes on with it. Immutable.
 *
 * @param different that its increment, bounds, cache or cycle differs there
 * @param givenOut the last number that it has given out there, if servers or sessions may keep some
 */
public record ComparedSequence(
    TableId source, TableId target, Optional<Problem> different, Optional<Long> givenOut) {

  /**
   * Those that are on both sides.
   *
   * @param mappings the names of tables, sequences and columns on the target
   */
  public static List<ComparedSequence> among(
      List<SequenceState> states, TargetServer target, TableMappings mappings) {
    List<ComparedSequence> compared = new ArrayList<>();
    TargetSequences sequences = LoadDialects.of(target.dialect()).sequences();
    try (TargetConnection connection = target.borrow()) {
      SequenceWriter writer =
          new SequenceWriter(connection, mappings::targetOf, mappings.columns());
      for (SequenceState state : states) {
        Optional<TargetSequence> found = writer.find(state);
        if (found.isPresent()) {
          compared.add(
              new ComparedSequence(
                  state.sequence(),
                  found.get().name(),
                  different(sequences, found.get(), state.form()),
                  sequences.givenOut(connection, found.get())));
        }
      }
      connection.rollback();
      return compared;
    } catch (SQLException e) {
      throw target.errors().classify("read the target's sequences", e);
    }
  }

  private static Optional<Problem> different(
      TargetSequences sequences, TargetSequence found, SequenceState.Form source) {
    return sequences.goesOnAs(found, source)
        ? Optional.empty()
        : Optional.of(
            new Problem(
                "target sequence " + found.name(),
                "goes on with " + found.form(),
                "as on the source: " + source,
                sequences.fixOfForm(found, source)));
  }
}
