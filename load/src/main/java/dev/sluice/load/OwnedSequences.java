package dev.sluice.load;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.connector.api.load.SequenceState;
import dev.sluice.load.target.LoadDialects;
import dev.sluice.load.target.TargetSequences;
import dev.sluice.load.target.TargetSequences.Owned;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetServer;
import java.math.BigDecimal;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * Raises sequences above the values of the columns that own them, where the sequences' own values
 * cannot be copied any more. A sequence is never set back. Stateless.
 */
public final class OwnedSequences {
  private OwnedSequences() {}

  /**
   * What was done. Immutable.
   *
   * @param raised how many are above the values of their columns now
   * @param notRaised one problem for each of the others
   */
  public record Result(int raised, List<Problem> notRaised) {
    public Result {
      notRaised = List.copyOf(notRaised);
    }
  }

  /**
   * Raises the sequences that columns of these tables own. The values are durable when it returns.
   *
   * @param margin how many values above the columns'
   */
  public static Result raise(TargetServer server, Collection<TableId> tables, long margin) {
    int raised = 0;
    List<Problem> notRaised = new ArrayList<>();
    try (TargetConnection connection = server.borrow()) {
      TargetSequences sequences = LoadDialects.of(connection.dialect()).sequences();
      List<Owned> all = sequences.ownedBy(connection, tables);
      connection.jdbc().commit();
      for (Owned owned : all) {
        try {
          Optional<String> why = why(owned);
          if (why.isPresent()) {
            notRaised.add(problem(owned, why.get()));
          } else {
            raise(connection, sequences, owned, margin);
            raised++;
          }
        } catch (SQLException e) {
          connection.rollback();
          notRaised.add(problem(owned, server.errors().textOf(e)));
        }
      }
      return new Result(raised, notRaised);
    } catch (SQLException e) {
      throw server.errors().classify("read the sequences of " + server, e);
    }
  }

  private static void raise(
      TargetConnection connection, TargetSequences sequences, Owned owned, long margin)
      throws SQLException {
    Optional<BigDecimal> furthest = furthest(connection, owned);
    if (furthest.isPresent()) {
      SequenceState.Form form = owned.sequence().form();
      // A column can have values beyond its sequence.
      long value =
          furthest
              .get()
              .max(BigDecimal.valueOf(form.min()))
              .min(BigDecimal.valueOf(form.max()))
              .longValue();
      SequenceState last =
          new SequenceState(owned.sequence().name(), Optional.empty(), value, true, form);
      sequences.advance(
          connection, owned.sequence(), owned.sequence().further(last, margin), Optional.empty());
    }
    connection.commitDurably();
    connection.jdbc().commit();
  }

  /** The largest value of the column; the smallest if its sequence falls. */
  private static Optional<BigDecimal> furthest(TargetConnection connection, Owned owned)
      throws SQLException {
    String sql =
        "SELECT %s(%s) FROM %s"
            .formatted(
                owned.sequence().form().increment() > 0 ? "max" : "min",
                TableId.quote(owned.owner().column()),
                owned.owner().table().quoted());
    try (PreparedStatement select = connection.jdbc().prepareStatement(sql);
        ResultSet row = select.executeQuery()) {
      return row.next() ? Optional.ofNullable(row.getBigDecimal(1)) : Optional.empty();
    }
  }

  private static Optional<String> why(Owned owned) {
    if (!owned.sequence().settable()) {
      return Optional.of("this user may not set it");
    }
    if (owned.sequence().form().cycles()) {
      return Optional.of("it begins again by itself");
    }
    return owned.numbers() ? Optional.empty() : Optional.of("its column has no numbers");
  }

  private static Problem problem(Owned owned, String why) {
    return new Problem(
        "sequence " + owned.sequence().name(),
        "it was not raised: " + why,
        "a sequence above the values of %s.%s"
            .formatted(owned.owner().table(), owned.owner().column()),
        "Set it by hand before applications insert rows: SELECT setval(...)");
  }
}
