package dev.sluice.sink.apply.round;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.ValueCursor;
import dev.sluice.sink.apply.plan.ApplySession;
import dev.sluice.sink.apply.plan.TablePlan;
import dev.sluice.sink.target.BulkLoad;
import dev.sluice.sink.target.NamedUpdate;
import dev.sluice.sink.target.RowWriter;
import dev.sluice.sink.target.StagedColumn;
import dev.sluice.sink.target.StagingShape;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/**
 * A set of rows as input of statements, chunk by chunk. A small chunk is sent as parameters in one
 * round trip. A large chunk is loaded into a staging table, which the next statement on the same
 * chunk uses again. Owned by the apply thread.
 */
final class StagedRows {
  /**
   * Above this number of rows, a bulk load and a join that is planned for the real size are faster.
   */
  private static final int ARRAY_ROWS = 500;

  /** Above this size, parameters would need memory several times on both sides. */
  private static final long ARRAY_BYTES = 1024 * 1024;

  /** Rows from {@code from} (inclusive) to {@code to} (exclusive). */
  record Chunk(int from, int to) {
    int size() {
      return to - from;
    }
  }

  private final ApplySession session;
  private final TablePlan plan;
  private final StagingShape shape;
  private final StagedRowValues rows;
  private final List<StagedColumn> columns;
  private final List<Chunk> chunks;

  StagedRows(ApplySession session, TablePlan plan, StagingShape shape, StagedRowValues rows) {
    this.session = session;
    this.plan = plan;
    this.shape = shape;
    this.rows = rows;
    this.columns = shape.columns(plan);
    this.chunks = chunksOf(rows.size(), session.chunkSize(plan));
  }

  private static List<Chunk> chunksOf(int size, int chunkSize) {
    List<Chunk> chunks = new ArrayList<>();
    for (int from = 0; from < size; from += Math.min(chunkSize, size - from)) {
      chunks.add(new Chunk(from, from + Math.min(chunkSize, size - from)));
    }
    return chunks;
  }

  List<Chunk> chunks() {
    return chunks;
  }

  StagingShape shape() {
    return shape;
  }

  /**
   * Runs a statement over a chunk.
   *
   * @param sql builds the statement from the item for its FROM or USING clause; the set's alias is
   *     {@code s}
   * @return the number of rows it changed
   */
  long update(Chunk chunk, UnaryOperator<String> sql) throws SQLException {
    session.count();
    if (isSmall(chunk)) {
      try (PreparedStatement statement = prepare(chunk, sql)) {
        return statement.executeLargeUpdate();
      }
    }
    return session.connection().execute(sql.apply(staged(chunk) + " AS s"));
  }

  /** Returns the first column of a query over a chunk. */
  List<String> texts(Chunk chunk, UnaryOperator<String> sql) throws SQLException {
    if (!isSmall(chunk)) {
      return session.texts(sql.apply(staged(chunk) + " AS s"));
    }
    try (PreparedStatement statement = prepare(chunk, sql);
        ResultSet row = statement.executeQuery()) {
      List<String> texts = new ArrayList<>();
      while (row.next()) {
        texts.add(row.getString(1));
      }
      return texts;
    }
  }

  /**
   * Runs statements with a chunk in order; returns the number of rows that the last one changed.
   */
  long update(Chunk chunk, List<UnaryOperator<String>> statements) throws SQLException {
    long changed = 0;
    for (UnaryOperator<String> statement : statements) {
      changed = update(chunk, statement);
    }
    return changed;
  }

  /**
   * Runs an update that names the keys of its rows, one statement after the other over a chunk.
   *
   * @return the number of rows that all of them changed
   */
  long update(Chunk chunk, NamedUpdate update) throws SQLException {
    String from = staged(chunk) + " AS s";
    long changed = 0;
    for (int begin = chunk.from(), end; begin < chunk.to(); begin = end) {
      end = endOfNamed(begin, chunk, update);
      List<Row> keys = IntStream.range(begin, end).mapToObj(rows::match).toList();
      session.count();
      changed += session.connection().execute(update.sql(from, keys));
    }
    return changed;
  }

  /** The first row, from the given one on, whose key has no room in the same statement. */
  private int endOfNamed(int begin, Chunk chunk, NamedUpdate update) {
    int last = Math.min(begin + update.rows(), chunk.to());
    long bytes = rows.match(begin).encodedBytes();
    int end = begin + 1;
    while (end < last && bytes + rows.match(end).encodedBytes() <= update.bytes()) {
      bytes += rows.match(end).encodedBytes();
      end++;
    }
    return end;
  }

  /** Inserts a chunk of complete rows and returns the number of inserted rows. */
  long insert(Chunk chunk) throws SQLException {
    if (isSmall(chunk)) {
      return update(chunk, from -> session.dialect().keyed().insert(plan, from));
    }
    session.count();
    int[] written = plan.written();
    return sent()
        .send(
            chunk,
            () -> bulk().insertBinary(session.connection(), plan),
            () -> bulk().insert(session.connection(), plan),
            (index, writer) -> {
              for (long copies = rows.copies(index); copies > 0; copies--) {
                writeComplete(rows.row(index), written, writer);
              }
            });
  }

  private void writeComplete(Row row, int[] written, RowWriter writer) throws SQLException {
    ValueCursor cursor = row.cursor();
    int next = 0;
    for (int source = 0; cursor.next() && next < written.length; source++) {
      if (written[next] == source) {
        refuseUnchanged(cursor, source, row);
        writer.value(cursor);
        next++;
      }
    }
    writer.endRow();
  }

  private void refuseUnchanged(Row row) {
    if (row.hasUnchanged()) {
      ValueCursor cursor = row.cursor();
      for (int source = 0; cursor.next(); source++) {
        if (!plan.column(source).generated()) {
          refuseUnchanged(cursor, source, row);
        }
      }
    }
  }

  private void refuseUnchanged(ValueCursor cursor, int source, Row row) {
    if (cursor.isUnchanged()) {
      throw new SluiceException.Fatal(
          "a row to be inserted into %s has no value for column %s: %s; its earlier image is missing"
              .formatted(plan.table().id(), plan.column(source).name(), row),
          null);
    }
  }

  private boolean isSmall(Chunk chunk) {
    if (chunk.size() > ARRAY_ROWS) {
      return false;
    }
    long copies = 0;
    long bytes = 0;
    for (int i = chunk.from(); i < chunk.to(); i++) {
      long times = shape.copies() ? 1 : rows.copies(i);
      copies += times;
      bytes += rows.row(i) == null ? 0 : times * rows.row(i).retainedBytes();
      bytes += rows.match(i) == null ? 0 : rows.match(i).retainedBytes();
      if (copies > ARRAY_ROWS || bytes > ARRAY_BYTES) {
        return false;
      }
    }
    return bulk().parameters(columns).isPresent();
  }

  private PreparedStatement prepare(Chunk chunk, UnaryOperator<String> sql) throws SQLException {
    BulkLoad.Parameters parameters = bulk().parameters(columns).orElseThrow();
    write(chunk, parameters);
    return parameters.prepare(session.connection(), sql);
  }

  private String staged(Chunk chunk) throws SQLException {
    String definition = session.dialect().staging().columns(columns);
    String table =
        session.staging().table("stage_" + plan.table().oid() + "_" + shape.name(), definition);
    record Content(StagedRowValues rows, Chunk chunk) {}
    Content wanted = new Content(rows, chunk);
    if (!session.staging().holds(table, wanted)) {
      session.staging().fill(table, wanted);
      copyInto(table, chunk);
    }
    return table;
  }

  private void copyInto(String table, Chunk chunk) throws SQLException {
    session.count();
    sent()
        .send(
            chunk,
            () -> bulk().stageBinary(session.connection(), table, columns),
            () -> bulk().stage(session.connection(), table, columns),
            this::writeCopies);
  }

  private SentRows sent() {
    return new SentRows(session.textOnly(), plan.table().oid());
  }

  private void write(Chunk chunk, RowWriter writer) throws SQLException {
    for (int i = chunk.from(); i < chunk.to(); i++) {
      writeCopies(i, writer);
    }
  }

  private void writeCopies(int index, RowWriter writer) throws SQLException {
    for (long times = shape.copies() ? 1 : rows.copies(index); times > 0; times--) {
      if (shape == StagingShape.INSERTS) {
        refuseUnchanged(rows.row(index));
      }
      write(index, writer);
    }
  }

  private void write(int index, RowWriter writer) throws SQLException {
    if (shape.ordinal()) {
      writer.number(index);
    }
    if (shape.mask()) {
      writer.text(mask(rows.row(index)));
    }
    if (shape.copies()) {
      writer.number(rows.copies(index));
    }
    if (shape.match()) {
      write(matchCursor(index), writer);
    }
    if (shape.row()) {
      write(rows.row(index).cursor(), writer);
    }
    writer.endRow();
  }

  private static void write(ValueCursor cursor, RowWriter writer) throws SQLException {
    while (cursor.next()) {
      writer.value(cursor);
    }
  }

  private BulkLoad bulk() {
    return session.dialect().bulk();
  }

  /** The values that match a row; for an inserted row, its key. */
  private ValueCursor matchCursor(int index) {
    Row match = rows.match(index);
    return (match == null ? plan.schema().matchOf(rows.row(index)) : match).cursor();
  }

  private static String mask(Row row) {
    StringBuilder mask = new StringBuilder(row.columns());
    ValueCursor cursor = row.cursor();
    while (cursor.next()) {
      mask.append(cursor.isUnchanged() ? '1' : '0');
    }
    return mask.toString();
  }
}
