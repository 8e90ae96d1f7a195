package dev.sluice.engine.validate.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.comparison.ChunkSums;
import dev.sluice.connector.api.comparison.HashSeeds;
import dev.sluice.connector.api.comparison.KeyRange;
import dev.sluice.connector.api.comparison.RowHash;
import dev.sluice.connector.api.comparison.RowKey;
import dev.sluice.engine.validate.session.ChunkProof;
import dev.sluice.engine.validate.session.SessionFindings;
import dev.sluice.engine.validate.session.SessionFindings.Proof;
import dev.sluice.engine.validate.session.TableFindings;
import dev.sluice.engine.validate.session.TableFindings.End;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TablePartsTest {
  private static final TableId TABLE = new TableId("public", "item");

  @TempDir Path folder;

  private TableParts parts;
  private int numbers;

  @BeforeEach
  void make() {
    parts = new TableParts(folder, 1);
  }

  @Test
  void theSessionsOfOneReadingAreJoined() throws IOException {
    add("first", chunk("", "5"));
    assertThat(parts.rows()).isEmpty();

    add("second", chunk("5", "9"), chunk("9", ""));

    assertThat(parts.rows()).contains(30L);
    assertThat(text())
        .containsSubsequence("first", "up to [\"5\"]", "second", "after [\"9\"] to the last");
  }

  @Test
  void whatWasReadBeforeATableWasVoidIsNotInTheRecord() throws IOException {
    add("before", chunk("", "5"));
    parts.forget();
    add("rest", chunk("5", ""));
    assertThat(parts.rows()).isEmpty();

    add("after", chunk("", ""));

    assertThat(parts.rows()).contains(10L);
    assertThat(text()).contains("after").doesNotContain("before").doesNotContain("rest");
  }

  @Test
  void theRestOfAReadingThatBeganBeforeThePassIsNotInTheRecord() throws IOException {
    add("rest", chunk("5", ""));
    assertThat(parts.rows()).isEmpty();
  }

  @Test
  void aReadingThatIsNotCompleteDoesNotTakeThePlaceOfOneThatIs() throws IOException {
    add("whole", chunk("", ""));
    add("again", chunk("", "5"));

    assertThat(parts.rows()).contains(10L);
    assertThat(text()).contains("whole").doesNotContain("again");
  }

  @Test
  void anUnequalPartThatWasNotLookedAtIsReadAgain() throws IOException {
    ChunkProof open = new ChunkProof(range("5", ""), sums(1), sums(2), 0, false, Optional.empty());
    add("first", chunk("", "5"), open);
    assertThat(parts.rows()).isEmpty();

    add("second", chunk("5", ""));

    assertThat(parts.rows()).contains(20L);
    assertThat(text()).doesNotContain("UNEQUAL");
  }

  @Test
  void aRecordThatCannotBeWrittenFailsAtItsEndAndNoSession() throws IOException {
    Path file = folder.resolve("a.record");
    PassRecord record = PassRecord.begin(file, null, Instant.EPOCH);
    Files.delete(folder.resolve("a.record.parts"));

    assertThatCode(() -> record.add(session(chunk("", "")), Instant.EPOCH))
        .doesNotThrowAnyException();

    assertThatThrownBy(() -> record.complete(List.of(), "equal", Instant.EPOCH))
        .isInstanceOf(SluiceException.class)
        .hasMessageContaining("cannot be written to " + file);
    assertThat(file).doesNotExist();
  }

  private static SessionFindings session(ChunkProof... chunks) {
    Proof proof =
        new Proof(
            new Position(1),
            "1:1:",
            new Position(2),
            new RowHash(new HashSeeds(1, 2), RowHash.Function.FAST, RowHash.RowForm.UTF8));
    return new SessionFindings(Optional.empty(), Optional.of(proof), List.of(found(chunks)));
  }

  private void add(String head, ChunkProof... chunks) throws IOException {
    parts.add(found(chunks), head + "\n", chunk -> ++numbers);
  }

  private String text() throws IOException {
    return Files.readString(parts.complete());
  }

  private static TableFindings found(ChunkProof... chunks) {
    return new TableFindings(
        TABLE,
        End.DONE,
        Optional.empty(),
        List.of("id"),
        Arrays.asList(chunks),
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        List.of());
  }

  private static ChunkProof chunk(String after, String upTo) {
    return new ChunkProof(range(after, upTo), sums(1), sums(1), 0, true, Optional.empty());
  }

  private static ChunkSums sums(long first) {
    return new ChunkSums(10, BigInteger.valueOf(first), BigInteger.TEN);
  }

  private static KeyRange range(String after, String upTo) {
    return new KeyRange(key(after), key(upTo));
  }

  private static Optional<RowKey> key(String value) {
    return value.isEmpty() ? Optional.empty() : Optional.of(RowKey.of(value));
  }
}
