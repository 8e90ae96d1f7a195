package dev.sluice.sink.apply.round;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.ValueCursor;
import dev.sluice.sink.apply.plan.ApplySession;
import dev.sluice.sink.apply.plan.TablePlan;
import dev.sluice.sink.apply.round.StagingShape.SetColumn;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.postgresql.copy.CopyIn;

/**
 * A set of rows as input of statements, chunk by chunk. A small chunk is sent as array parameters
 * in one round trip. A large chunk is copied into a staging table, which the next statement on the
 * same chunk uses again. Owned by the apply thread.
 */
final class StagedRows {
  /** Above this number of rows, COPY and a join that is planned for the real size are faster. */
  private static final int ARRAY_ROWS = 500;

  /** Above this size, array parameters would need memory several times on both sides. */
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
  private final List<SetColumn> columns;
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

  /** Inserts a chunk of complete rows and returns the number of inserted rows. */
  long insert(Chunk chunk) throws SQLException {
    if (isSmall(chunk)) {
      return update(chunk, from -> KeyedStatements.insert(plan, from));
    }
    session.count();
    String sql =
        "COPY %s (%s) FROM STDIN"
            .formatted(plan.table().id().quoted(), KeyedStatements.names(plan, plan.written()));
    CopyIn copy = session.connection().copy().copyIn(sql);
    try {
      CopyEncoder encoder = new CopyEncoder(copy);
      int[] written = plan.written();
      for (int i = chunk.from(); i < chunk.to(); i++) {
        for (long copies = rows.copies(i); copies > 0; copies--) {
          encodeComplete(rows.row(i), written, encoder);
        }
      }
      return encoder.end();
    } finally {
      if (copy.isActive()) {
        copy.cancelCopy();
      }
    }
  }

  private void encodeComplete(Row row, int[] written, CopyEncoder encoder) throws SQLException {
    ValueCursor cursor = row.cursor();
    int next = 0;
    for (int source = 0; cursor.next() && next < written.length; source++) {
      if (written[next] == source) {
        refuseUnchanged(cursor, source, row);
        encoder.value(cursor);
        next++;
      }
    }
    encoder.endRow();
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
    return true;
  }

  private PreparedStatement prepare(Chunk chunk, UnaryOperator<String> sql) throws SQLException {
    PreparedStatement statement = session.connection().jdbc().prepareStatement(sql.apply(arrays()));
    List<ArrayText> arrays = columns.stream().map(StagedRows::arrayFor).toList();
    for (int i = chunk.from(); i < chunk.to(); i++) {
      for (long times = shape.copies() ? 1 : rows.copies(i); times > 0; times--) {
        addTo(arrays, i);
      }
    }
    for (int column = 0; column < columns.size(); column++) {
      statement.setString(column + 1, arrays.get(column).end());
    }
    return statement;
  }

  private void addTo(List<ArrayText> arrays, int index) {
    int column = 0;
    if (shape.ordinal()) {
      arrays.get(column++).number(index);
    }
    if (shape.mask()) {
      arrays.get(column++).text(mask(rows.row(index)));
    }
    if (shape.copies()) {
      arrays.get(column++).number(rows.copies(index));
    }
    if (shape.match()) {
      ValueCursor cursor = matchCursor(index);
      while (cursor.next()) {
        arrays.get(column++).value(cursor);
      }
    }
    if (shape.row()) {
      ValueCursor cursor = rows.row(index).cursor();
      for (int source = 0; cursor.next(); source++) {
        if (shape == StagingShape.INSERTS && !plan.column(source).generated()) {
          refuseUnchanged(cursor, source, rows.row(index));
        }
        arrays.get(column++).value(cursor);
      }
    }
  }

  private static ArrayText arrayFor(SetColumn column) {
    return new ArrayText(column.arrayDelimiter() == 0 ? ',' : column.arrayDelimiter());
  }

  private String arrays() {
    StringBuilder names = new StringBuilder();
    StringBuilder parameters = new StringBuilder();
    StringBuilder outputs = new StringBuilder();
    for (SetColumn column : columns) {
      String comma = names.isEmpty() ? "" : ", ";
      names.append(comma).append(column.name());
      boolean asText = column.arrayDelimiter() == 0;
      parameters
          .append(comma)
          .append("?::")
          .append(asText ? "pg_catalog.text" : column.bareType())
          .append("[]");
      outputs.append(comma).append("f.").append(column.name());
      if (asText) {
        outputs.append("::").append(column.bareType()).append(" AS ").append(column.name());
      }
    }
    return "(SELECT %s FROM unnest(%s) AS f (%s)) AS s".formatted(outputs, parameters, names);
  }

  private String staged(Chunk chunk) throws SQLException {
    String definition =
        String.join(
            ", ",
            columns.stream().map(column -> column.name() + " " + column.storedType()).toList());
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
    CopyIn copy = session.connection().copy().copyIn("COPY " + table + " FROM STDIN");
    try {
      CopyEncoder encoder = new CopyEncoder(copy);
      for (int i = chunk.from(); i < chunk.to(); i++) {
        if (shape.ordinal()) {
          encoder.number(i);
        }
        if (shape.mask()) {
          encoder.text(mask(rows.row(i)));
        }
        if (shape.copies()) {
          encoder.number(rows.copies(i));
        }
        if (shape.match()) {
          encode(matchCursor(i), encoder);
        }
        if (shape.row()) {
          encode(rows.row(i).cursor(), encoder);
        }
        encoder.endRow();
      }
      encoder.end();
    } finally {
      if (copy.isActive()) {
        copy.cancelCopy();
      }
    }
  }

  private static void encode(ValueCursor cursor, CopyEncoder encoder) throws SQLException {
    while (cursor.next()) {
      encoder.value(cursor);
    }
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
