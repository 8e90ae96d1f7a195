package dev.sluice.sink.apply.round;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.connector.api.ValueCursor;
import dev.sluice.sink.apply.plan.TextOnlyTables;
import dev.sluice.sink.apply.round.StagedRows.Chunk;
import dev.sluice.sink.target.BulkLoad;
import dev.sluice.sink.target.NoBinaryForm;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Which rows go which way. */
class SentRowsTest {
  private static final long TABLE = 7;

  private final TextOnlyTables textOnly = new TextOnlyTables();
  private final List<String> sent = new ArrayList<>();

  /** Takes rows of two numbers. */
  private final class Way implements BulkLoad.Stream {
    private final String name;
    private final long unfit;
    private final List<Long> row = new ArrayList<>();
    private long rows;

    Way(String name, long unfit) {
      this.name = name;
      this.unfit = unfit;
    }

    @Override
    public void number(long value) {
      if (value == unfit) {
        throw NoBinaryForm.INSTANCE;
      }
      row.add(value);
    }

    @Override
    public void text(String value) {
      throw new AssertionError("no text is written");
    }

    @Override
    public void value(ValueCursor cursor) {
      throw new AssertionError("no value is written");
    }

    @Override
    public void endRow() {
      sent.add(name + row);
      row.clear();
      rows++;
    }

    @Override
    public long end() {
      return rows;
    }

    @Override
    public void close() {
      sent.add(name + " closed");
    }
  }

  private long send(Optional<BulkLoad.Stream> binary) throws SQLException {
    return new SentRows(textOnly, TABLE)
        .send(
            new Chunk(1, 5),
            () -> binary,
            () -> new Way("text", -1),
            (index, writer) -> {
              writer.number(index);
              writer.number(10L * index);
              writer.endRow();
            });
  }

  @Test
  void allRowsAreBinaryIfTheyCan() throws SQLException {
    assertThat(send(Optional.of(new Way("binary", -1)))).isEqualTo(4);
    assertThat(sent)
        .containsExactly(
            "binary[1, 10]", "binary[2, 20]", "binary[3, 30]", "binary[4, 40]", "binary closed");
    assertThat(textOnly.contains(TABLE)).isFalse();
  }

  @Test
  void theRowWithoutABinaryFormAndThoseAfterItAreTexts() throws SQLException {
    assertThat(send(Optional.of(new Way("binary", 30)))).isEqualTo(4);
    assertThat(sent)
        .containsExactly(
            "binary[1, 10]",
            "binary[2, 20]",
            "binary closed",
            "text[3, 30]",
            "text[4, 40]",
            "text closed");
  }

  @Test
  void aTableWithSuchARowOrTypeIsText() throws SQLException {
    send(Optional.empty());
    sent.clear();

    assertThat(send(Optional.of(new Way("binary", -1)))).isEqualTo(4);

    assertThat(sent).noneMatch(each -> each.startsWith("binary"));
    assertThat(textOnly.contains(TABLE + 1)).isFalse();
  }
}
