package dev.sluice.connector.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.ChangeEvent.Definition;
import dev.sluice.connector.api.ChangeEvent.Emptied;
import dev.sluice.connector.api.ChangeEvent.Message;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.ChangeEvent.Truncate;
import dev.sluice.connector.api.JournalRecord.Frame;
import dev.sluice.connector.api.JournalRecord.Piece;
import dev.sluice.connector.api.JournalRecord.TermStart;
import dev.sluice.connector.api.ddl.ColumnDefinition;
import dev.sluice.connector.api.ddl.ColumnDefinition.Filling;
import dev.sluice.connector.api.ddl.ColumnDefinition.Sequence;
import dev.sluice.connector.api.ddl.DefinitionChange;
import dev.sluice.connector.api.ddl.DefinitionChanges;
import dev.sluice.connector.api.ddl.TableDefinition;
import dev.sluice.connector.api.ddl.TableDefinition.Checked;
import dev.sluice.connector.api.ddl.TableDefinition.Partition;
import dev.sluice.connector.api.ddl.TableDefinition.PrimaryKey;
import dev.sluice.connector.api.load.DefinitionStatement;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.NotEmpty;
import org.junit.jupiter.api.Test;

class JournalCodecTest {
  private static final RowSchema KEYED =
      new RowSchema(
          new TableId("public", "orders"),
          List.of(
              new Column("id", "integer", false, true),
              new Column("note", "text", true, false),
              new Column("part", "integer", false, true)));
  private static final RowSchema KEYLESS =
      new RowSchema(
          new TableId("public", "History \"1\""),
          List.of(new Column("a", "integer", true, false), new Column("b", "text", true, false)));

  @Property
  void transactionsComeOutOfTheJournalAsTheyWentIn(
      @ForAll("transactions") List<List<ChangeEvent>> transactions,
      @ForAll @IntRange(min = 1, max = 300) int frameBytes,
      @ForAll @IntRange(min = 20, max = 400) int pieceBytes) {
    List<byte[]> records = new ArrayList<>();
    TransactionEncoder encoder = new TransactionEncoder(7, frameBytes, pieceBytes, records::add);
    for (int i = 0; i < transactions.size(); i++) {
      encoder.begin();
      transactions.get(i).forEach(encoder::add);
      encoder.end(new Position(1000 + i), 5_000_000L + i, (3L << 32) + i);
    }

    List<List<ChangeEvent>> read = new ArrayList<>();
    List<ChangeEvent> open = new ArrayList<>();
    ByteArrayOutputStream pieces = new ByteArrayOutputStream();
    long next = 1;
    for (byte[] bytes : records) {
      JournalRecord journalRecord = JournalRecord.parse(bytes);
      assertThat(journalRecord.term()).isEqualTo(7);
      if (journalRecord instanceof Piece piece) {
        assertThat(piece.transaction()).isEqualTo(next);
        assertThat(piece.ordinal()).isEqualTo(open.size() + 1);
        pieces.write(piece.bytes(), piece.contentAt(), piece.contentLength());
        if (piece.isLast()) {
          open.add(ChangeCursor.ofPieces(pieces.toByteArray(), JournalCodecTest::schema));
          pieces.reset();
        }
      } else if (journalRecord instanceof Frame frame) {
        assertThat(frame.transaction()).isEqualTo(next);
        assertThat(frame.firstOrdinal()).isEqualTo(open.size() + 1);
        ChangeCursor cursor = frame.changes(JournalCodecTest::schema);
        while (cursor.next()) {
          open.add(cursor.change());
        }
        if (frame.end() != null) {
          assertThat(frame.end())
              .isEqualTo(
                  new TransactionEnd(
                      open.size(),
                      new Position(999 + next),
                      5_000_000L + next - 1,
                      (3L << 32) + next - 1));
          read.add(List.copyOf(open));
          open.clear();
          next++;
        }
      }
    }
    assertThat(open).isEmpty();
    assertThat(read).isEqualTo(transactions);
  }

  @Property
  void positionsOf128BitsComeOutOfTheJournalAsTheyWentIn(
      @ForAll long high, @ForAll long low, @ForAll("changes") ChangeEvent change) {
    for (Position position : List.of(new Position(high, low), new Position(low))) {
      assertThat(JournalRecord.parse(new TermStart(3, position).encode()))
          .isEqualTo(new TermStart(3, position));
      List<byte[]> records = new ArrayList<>();
      TransactionEncoder encoder = new TransactionEncoder(3, 1 << 16, records::add);
      encoder.begin();
      encoder.add(change);
      encoder.end(position, 6);
      Frame frame = (Frame) JournalRecord.parse(records.get(records.size() - 1));
      assertThat(frame.end()).isEqualTo(new TransactionEnd(1, position, 6, 0));
      ChangeCursor cursor = frame.changes(JournalCodecTest::schema);
      assertThat(cursor.next()).isTrue();
      assertThat(cursor.change()).isEqualTo(change);
    }
  }

  @Property
  void theBookmarkOfAnEndComesOutOfTheJournalAsItWentIn(
      @ForAll @NotEmpty String bookmark, @ForAll("changes") ChangeEvent change) {
    for (Position position : List.of(new Position(1, 2), new Position(2))) {
      List<byte[]> records = new ArrayList<>();
      TransactionEncoder encoder = new TransactionEncoder(3, 1 << 16, records::add);
      encoder.begin();
      encoder.add(change);
      encoder.end(position, 6, 8, bookmark);
      byte[] last = records.get(records.size() - 1);
      assertThat(last[0]).isEqualTo((byte) 7);
      Frame frame = (Frame) JournalRecord.parse(last);
      assertThat(frame.end().position()).isEqualTo(position);
      assertThat(frame.end().bookmark())
          .isEqualTo(new String(bookmark.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8));
      ChangeCursor cursor = frame.changes(JournalCodecTest::schema);
      assertThat(cursor.next()).isTrue();
      assertThat(cursor.change()).isEqualTo(change);
    }
  }

  @Test
  void onlyARecordWithAPositionOfMoreThan64BitsIsOfTheLaterVersion() {
    assertThat(new TermStart(7, new Position(0x16B374D848L)).encode())
        .containsExactly(5, 1, 7, 0, 0, 0, 0x16, 0xB3, 0x74, 0xD8, 0x48);
    assertThat(new TermStart(7, new Position(1, 2)).encode())
        .containsExactly(6, 1, 7, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2);
    List<byte[]> records = new ArrayList<>();
    TransactionEncoder encoder = new TransactionEncoder(1, 1, records::add);
    encoder.begin();
    encoder.add(new Message("a", "b".getBytes(StandardCharsets.UTF_8)));
    encoder.end(new Position(1, 2), 6);
    assertThat(records).extracting(bytes -> (int) bytes[0]).containsExactly(5, 6);
  }

  @Test
  void aRecordOfAnotherVersionIsRefusedAndBothAreNamed() {
    byte[] bytes = new TermStart(7, Position.ZERO).encode();
    for (int version : new int[] {4, 8}) {
      bytes[0] = (byte) version;
      assertThatThrownBy(() -> JournalRecord.parse(bytes))
          .isInstanceOf(CorruptJournalException.class)
          .hasMessage(
              "journal record of format "
                  + version
                  + ", this release reads formats 5 to 7; let the release that wrote it apply its backlog first");
    }
  }

  @Property
  void aRecordThatIsCutIsCorruptAndNeverSomethingElse(
      @ForAll("changes") ChangeEvent change, @ForAll @IntRange(min = 0, max = 1 << 20) int at) {
    List<byte[]> records = new ArrayList<>();
    TransactionEncoder encoder = new TransactionEncoder(1, 1 << 16, records::add);
    encoder.begin();
    encoder.add(change);
    encoder.end(new Position(5), 6);
    byte[] whole = records.get(0);
    byte[] cut = Arrays.copyOf(whole, at % whole.length);

    Throwable failure =
        catchThrowable(
            () -> {
              ChangeCursor cursor =
                  ((Frame) JournalRecord.parse(cut)).changes(JournalCodecTest::schema);
              cursor.next();
              cursor.change();
            });

    assertThat(failure).isInstanceOf(CorruptJournalException.class);
  }

  @Property
  void schemasComeBackFromTheirBytesWithTheSameFingerprint(
      @ForAll("names") String schema, @ForAll("names") String table, @ForAll List<Boolean> keys) {
    List<Column> columns = new ArrayList<>();
    for (int i = 0; i < keys.size(); i++) {
      columns.add(new Column("column " + i, "numeric(10,2)", !keys.get(i), keys.get(i)));
    }
    RowSchema original = new RowSchema(new TableId(schema, table), columns);

    RowSchema read = SchemaCodec.decode(SchemaCodec.encode(original));

    assertThat(read).isEqualTo(original);
    assertThat(read.fingerprint()).isEqualTo(original.fingerprint());
    assertThat(read.key()).containsExactly(original.key());
  }

  @Test
  void anotherKeyIsAnotherFingerprint() {
    TableId table = new TableId("s", "t");
    RowSchema keyed = new RowSchema(table, List.of(new Column("a", "text", false, true)));
    RowSchema keyless = new RowSchema(table, List.of(new Column("a", "text", false, false)));

    assertThat(keyed.fingerprint()).isNotEqualTo(keyless.fingerprint());
  }

  @Test
  void aTermStartKeepsTermAndPosition() {
    TermStart start = new TermStart(300, new Position(0xFFFF_FFFF_0000_0001L));

    assertThat(JournalRecord.parse(start.encode())).isEqualTo(start);
  }

  @Test
  void theMatchOfAnUpdateIsNotWrittenTwice() {
    Row row = RowBuilder.rowOf("1", "a long note that should be in the record once", "2");
    List<byte[]> records = new ArrayList<>();
    TransactionEncoder encoder = new TransactionEncoder(1, 1 << 16, records::add);
    encoder.begin();

    int updateBytes = encoder.add(new RowChange(KEYED, KEYED.matchOf(row), row));
    int insertBytes = encoder.add(new RowChange(KEYED, null, row));

    assertThat(updateBytes).isEqualTo(insertBytes);
  }

  private static RowSchema schema(long fingerprint) {
    if (fingerprint == KEYED.fingerprint()) {
      return KEYED;
    }
    if (fingerprint == KEYLESS.fingerprint()) {
      return KEYLESS;
    }
    throw new CorruptJournalException("no schema " + fingerprint);
  }

  @Provide
  Arbitrary<String> names() {
    return Arbitraries.strings().withChars("aZ \"'é漢.").ofMinLength(1).ofMaxLength(63);
  }

  @Provide
  Arbitrary<List<List<ChangeEvent>>> transactions() {
    return changes().list().ofMaxSize(12).list().ofMaxSize(5);
  }

  @Provide
  Arbitrary<ChangeEvent> changes() {
    Arbitrary<String> values = Arbitraries.strings().ofMaxLength(80).injectNull(0.2);
    Arbitrary<Row> keyed =
        Combinators.combine(Arbitraries.integers(), values, Arbitraries.integers(), unchanged())
            .as(
                (id, note, part, toast) -> {
                  RowBuilder builder = new RowBuilder(16).add(Integer.toString(id));
                  return (toast ? builder.addUnchanged() : builder.add(note))
                      .add(Integer.toString(part))
                      .build();
                });
    Arbitrary<Row> keyless =
        Combinators.combine(values, values).as((a, b) -> RowBuilder.rowOf(a, b));
    return Arbitraries.oneOf(
        keyed.map(row -> new RowChange(KEYED, null, row)),
        keyed.map(row -> new RowChange(KEYED, KEYED.matchOf(row), row)),
        Combinators.combine(keyed, keyed)
            .as((old, row) -> new RowChange(KEYED, KEYED.matchOf(old), row)),
        Combinators.combine(keyed, keyed)
            .as((old, row) -> new RowChange(KEYED, KEYED.matchOf(old), row, old.asBefore(row))),
        keyed.map(row -> new RowChange(KEYED, KEYED.matchOf(row), null)),
        Combinators.combine(keyless, keyless).as((old, row) -> new RowChange(KEYLESS, old, row)),
        Combinators.combine(names(), values)
            .as(
                (name, condition) ->
                    new Truncate(List.of(new Emptied(new TableId("s", name), condition)))),
        definitions(),
        Combinators.combine(names(), Arbitraries.strings())
            .as(
                (prefix, content) ->
                    new Message(prefix, content.getBytes(StandardCharsets.UTF_8))));
  }

  private Arbitrary<ChangeEvent> definitions() {
    Arbitrary<String> optional = names().injectNull(0.5);
    Arbitrary<ColumnDefinition> columns =
        Combinators.combine(
                Arbitraries.integers().between(1, 1600),
                names(),
                optional,
                Arbitraries.of(Filling.values()),
                Arbitraries.of(true, false))
            .as(
                (number, name, text, filling, flag) ->
                    new ColumnDefinition(
                        number,
                        name,
                        "text",
                        "25/-1",
                        text,
                        flag,
                        filling,
                        text,
                        flag ? text : null,
                        flag
                            ? new Sequence(new TableId("s", name), "AS integer", flag, !flag)
                            : null));
    Arbitrary<TableDefinition> tables =
        Combinators.combine(names(), optional, columns.list().ofMaxSize(3))
            .as(
                (name, text, all) ->
                    new TableDefinition(
                        new TableId("s", name),
                        text,
                        partition(text, name),
                        new PrimaryKey(
                            all.stream().map(ColumnDefinition::number).toList(),
                            Checked.values()[all.size() % 3]),
                        all,
                        text == null
                            ? List.of()
                            : List.of(
                                new TableDefinition.Parent(all.size(), new TableId("p", name)))));
    Arbitrary<DefinitionChange> changes =
        Combinators.combine(tables, tables.injectNull(0.3), Arbitraries.of(true, false), optional)
            .as(
                (one, other, flag, text) ->
                    flag
                        ? new DefinitionChange(one, other, true, false, text)
                        : new DefinitionChange(other, one, false, true, text));
    return Combinators.combine(names(), changes.list().ofMaxSize(3))
        .as(
            (name, all) ->
                new Definition(
                    new DefinitionChanges(
                        name,
                        name.length() > 5,
                        Map.of("TimeZone", name),
                        List.of(new DefinitionStatement("type", "", name)),
                        all)));
  }

  private static Partition partition(String bound, String root) {
    return bound == null
        ? null
        : new Partition(
            new TableId("s", "p"),
            new TableId("s", bound.length() % 2 == 0 ? "p" : root),
            bound,
            null);
  }

  private static Arbitrary<Boolean> unchanged() {
    return Arbitraries.frequency(net.jqwik.api.Tuple.of(4, false), net.jqwik.api.Tuple.of(1, true));
  }
}
