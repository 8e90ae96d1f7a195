package dev.sluice.sink.apply.round;

import dev.sluice.sink.apply.plan.TextOnlyTables;
import dev.sluice.sink.apply.round.StagedRows.Chunk;
import dev.sluice.sink.target.BulkLoad;
import dev.sluice.sink.target.NoBinaryForm;
import dev.sluice.sink.target.RowWriter;
import java.sql.SQLException;
import java.util.Optional;

/**
 * Sends a chunk of rows in bulk: in the target's binary format, and from the first row on that has
 * no binary form as text. The rows before that one stay sent: only complete rows leave the stream.
 * Owned by the apply thread.
 *
 * @param table the target table's object id
 */
record SentRows(TextOnlyTables textOnly, long table) {

  /** Begins a stream. */
  interface Opening<S> {
    S open() throws SQLException;
  }

  /** Writes the row with this index, with all its copies. */
  interface Writing {
    void write(int index, RowWriter writer) throws SQLException;
  }

  /** Returns the number of rows that the target took. */
  long send(
      Chunk chunk,
      Opening<Optional<BulkLoad.Stream>> binary,
      Opening<BulkLoad.Stream> text,
      Writing writing)
      throws SQLException {
    int next = chunk.from();
    long taken = 0;
    Optional<BulkLoad.Stream> begun = textOnly.contains(table) ? Optional.empty() : binary.open();
    if (begun.isPresent()) {
      try (BulkLoad.Stream stream = begun.get()) {
        next = write(next, chunk.to(), stream, writing);
        taken = stream.end();
      }
    }
    if (next < chunk.to()) {
      textOnly.add(table);
      try (BulkLoad.Stream stream = text.open()) {
        write(next, chunk.to(), stream, writing);
        taken += stream.end();
      }
    }
    return taken;
  }

  /** Returns the index of the first row that has no binary form, or {@code to}. */
  private static int write(int from, int to, RowWriter writer, Writing writing)
      throws SQLException {
    int next = from;
    try {
      while (next < to) {
        writing.write(next, writer);
        next++;
      }
    } catch (NoBinaryForm e) {
      return next;
    }
    return next;
  }
}
