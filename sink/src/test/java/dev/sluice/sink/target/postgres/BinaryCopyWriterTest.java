package dev.sluice.sink.target.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.connector.api.RowBuilder;
import dev.sluice.connector.api.ValueCursor;
import dev.sluice.sink.target.NoBinaryForm;
import java.io.ByteArrayOutputStream;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.postgresql.copy.CopyIn;
import org.postgresql.util.ByteStreamWriter;

/** What leaves the client, and what does not. */
class BinaryCopyWriterTest {
  private static final int HEADER = 19;
  private static final int END = 2;

  /** Of a row with one value: their number, and the value's length. */
  private static final int AROUND_VALUE = 6;

  private final ByteArrayOutputStream sent = new ByteArrayOutputStream();
  private final BinaryCopyWriter writer =
      new BinaryCopyWriter(new SentBytes(), List.of(BinaryForm.TEXT), () -> {});

  private void value(int length) throws SQLException {
    ValueCursor cursor = RowBuilder.rowOf("x".repeat(length)).cursor();
    cursor.next();
    writer.value(cursor);
  }

  private void row(int length) throws SQLException {
    value(length);
    writer.endRow();
  }

  @Test
  void aRowIsTooLargeWhateverWasWrittenBeforeIt() throws SQLException {
    // The buffer grows by these rows, and is nearly empty after them.
    List<Integer> before = List.of(5_000_000, 6_000_000, 3_950_000, 100_000);
    for (int length : before) {
      row(length);
    }
    assertThatThrownBy(() -> row(9_000_000)).isInstanceOf(NoBinaryForm.class);
  }

  @Test
  void aRowThatWasNotEndedIsNotSent() throws SQLException {
    row(10);
    row(200_000);
    value(300_000);

    writer.end();

    assertThat(sent.size()).isEqualTo(HEADER + 10 + 200_000 + 2 * AROUND_VALUE + END);
  }

  @Test
  void aRowWithoutAllItsFieldsIsABugAndNotSent() throws SQLException {
    assertThatThrownBy(writer::endRow)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("BUG: a row of 0 fields, expected 1");
    row(10);

    writer.end();

    assertThat(sent.size()).isEqualTo(HEADER + 10 + AROUND_VALUE + END);
  }

  @Test
  void aRowWithMoreFieldsIsABug() throws SQLException {
    value(10);
    assertThatThrownBy(() -> value(10))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("BUG: a row of more than 1 fields");
    assertThatThrownBy(() -> writer.number(1)).isInstanceOf(IllegalStateException.class);
    assertThat(sent.size()).isZero();
  }

  /** Keeps what is sent. */
  private final class SentBytes implements CopyIn {
    @Override
    public void writeToCopy(byte[] bytes, int offset, int length) {
      sent.write(bytes, offset, length);
    }

    @Override
    public long endCopy() {
      return 0;
    }

    @Override
    public void writeToCopy(ByteStreamWriter from) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void flushCopy() {
      throw new UnsupportedOperationException();
    }

    @Override
    public int getFieldCount() {
      return 1;
    }

    @Override
    public int getFormat() {
      return 1;
    }

    @Override
    public int getFieldFormat(int field) {
      return 1;
    }

    @Override
    public boolean isActive() {
      return true;
    }

    @Override
    public void cancelCopy() {
      sent.reset();
    }

    @Override
    public long getHandledRowCount() {
      return 0;
    }
  }
}
