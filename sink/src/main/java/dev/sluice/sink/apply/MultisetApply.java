package dev.sluice.sink.apply;

import static dev.sluice.sink.apply.ApplySession.attempt;
import static dev.sluice.sink.apply.ApplySession.mustEqual;

import dev.sluice.config.SluiceException;
import dev.sluice.sink.apply.FedSet.Chunk;
import dev.sluice.sink.window.TableChanges.Copies;
import dev.sluice.sink.window.TableChanges.Multiset;
import dev.sluice.sink.window.TableCounters;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Applies one round's changes of one table without a key: takes copies of rows away by image, then
 * puts copies in. Owned by the apply thread; single use.
 */
final class MultisetApply {
  private static final int NAMED_ROWS = 10;

  private final ApplySession session;
  private final TablePlan plan;
  private final Multiset changes;

  MultisetApply(ApplySession session, TablePlan plan, Multiset changes) {
    this.session = session;
    this.plan = plan;
    this.changes = changes;
  }

  /**
   * @param careful first counts the copies that are there, to name the rows that lack some
   */
  TableCounters apply(boolean careful) {
    FedSet away = fed(SetShape.COPIES, changes.takeAway());
    FedSet in = fed(SetShape.INSERTS, changes.putIn());
    if (careful) {
      nameMisses(away);
    }
    long takenAway = 0;
    for (Chunk chunk : away.chunks()) {
      long taken =
          attempt("delete on " + plan.table().id(), () -> away.update(chunk, this::takeAway));
      long expected = copies(changes.takeAway().subList(chunk.from(), chunk.to()));
      mustEqual(plan, "delete", expected, taken);
      takenAway += taken;
    }
    long putIn = 0;
    for (Chunk chunk : in.chunks()) {
      long put = attempt("insert into " + plan.table().id(), () -> putIn(in, chunk));
      long expected = copies(changes.putIn().subList(chunk.from(), chunk.to()));
      mustEqual(plan, "insert", expected, put);
      putIn += put;
    }
    return new TableCounters(putIn, 0, takenAway, 0);
  }

  private FedSet fed(SetShape shape, List<Copies> copies) {
    return new FedSet(session, plan, shape, FedRows.ofCopies(copies));
  }

  private long putIn(FedSet set, Chunk chunk) throws java.sql.SQLException {
    return set.putIn(chunk);
  }

  private static long copies(List<Copies> rows) {
    return rows.stream().mapToLong(Copies::copies).sum();
  }

  private String takeAway(String from) {
    return """
        DELETE FROM %s AS t USING (
          SELECT t.tableoid AS relation, t.ctid AS place, s.copies,
                 row_number() OVER (PARTITION BY s.n) AS copy
          FROM %s AS t JOIN %s ON %s) AS gone
        WHERE t.ctid = gone.place AND t.tableoid = gone.relation AND gone.copy <= gone.copies"""
        .formatted(plan.table().rows(), plan.table().rows(), from, sameImage(plan));
  }

  private void nameMisses(FedSet set) {
    for (Chunk chunk : set.chunks()) {
      List<String> misses =
          attempt(
              "look for the rows of a delete on " + plan.table().id(),
              () -> set.texts(chunk, this::misses));
      if (!misses.isEmpty()) {
        throw new SluiceException.Data(
            "delete on %s, a table without a key: %s"
                .formatted(plan.table().id(), String.join("; ", misses)),
            null);
      }
    }
  }

  private String misses(String from) {
    return """
        SELECT left(ROW(%s)::text, 200) || ' is there ' || m.found || ' times, '
               || s.copies || ' wanted'
        FROM %s CROSS JOIN LATERAL (SELECT count(*) AS found FROM %s AS t WHERE %s) m
        WHERE m.found < s.copies LIMIT %d"""
        .formatted(after(plan), from, plan.table().rows(), sameImage(plan), NAMED_ROWS);
  }

  /* By image, since a type may have no equality, and equal values may still differ. */
  private static String sameImage(TablePlan plan) {
    String before =
        Arrays.stream(plan.match())
            .mapToObj(source -> KeyedStatements.image(plan, source))
            .collect(Collectors.joining(", "));
    return "ROW(%s)::record OPERATOR(pg_catalog.*=) ROW(%s)::record".formatted(before, after(plan));
  }

  private static String after(TablePlan plan) {
    return Arrays.stream(plan.match())
        .mapToObj(source -> "s.c" + source)
        .collect(Collectors.joining(", "));
  }
}
