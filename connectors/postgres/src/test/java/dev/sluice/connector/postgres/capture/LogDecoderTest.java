package dev.sluice.connector.postgres.capture;

import static dev.sluice.connector.api.RowBuilder.rowOf;
import static dev.sluice.connector.postgres.capture.PgoutputMessage.UNCHANGED;
import static dev.sluice.connector.postgres.capture.PgoutputMessage.begin;
import static dev.sluice.connector.postgres.capture.PgoutputMessage.commit;
import static dev.sluice.connector.postgres.capture.PgoutputMessage.relation;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.ChangeEvent.Definition;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.Column;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.RowBuilder;
import dev.sluice.connector.journal.SourceEvent;
import dev.sluice.connector.journal.SourceEvent.Changed;
import dev.sluice.connector.journal.SourceEvent.Committed;
import java.nio.ByteBuffer;
import java.time.Clock;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class LogDecoderTest {
  private final Catalog catalog = new Catalog();
  private final OwnMessages own = new OwnMessages(Clock.systemUTC());
  private final LogDecoder decoder =
      new LogDecoder(MessagePrefixes.ofTask("t"), own, catalog, new TransactionIds(1L << 32));

  @Test
  void anUnchangedValueIsTakenFromTheOldRow() {
    catalog.add("a", true, key("id"), plain("t"), plain("n"));
    decode(
        relation(1, "a", 'f', "id!", "t!", "n!"),
        begin(),
        PgoutputMessage.of('U')
            .int4(1)
            .row('O', "1", "long", null)
            .row('N', "2", UNCHANGED, UNCHANGED)
            .message());
    RowChange change = change(0);
    assertThat(change.match()).isEqualTo(rowOf("1"));
    assertThat(change.row().text(1)).isEqualTo("long");
    assertThat(change.row().isUnchanged(2)).isTrue();
  }

  @Test
  void anUpdateCarriesTheOldRowIfItIsNeededAndInTheLog() {
    catalog.add("a", true, key("id"), plain("t"), plain("n"));
    catalog.add("b", true, key("id"), plain("t"), plain("n"));
    catalog.wanted.add(new TableId("public", "a"));
    PgoutputMessage update = PgoutputMessage.of('U').int4(1).row('O', "1", "long", "x");
    decode(
        relation(1, "a", 'f', "id!", "t!", "n!"),
        relation(2, "b", 'f', "id!", "t!", "n!"),
        begin(),
        update.row('N', "2", UNCHANGED, "y").message(),
        PgoutputMessage.of('U')
            .int4(2)
            .row('O', "1", "long", "x")
            .row('N', "2", "z", "y")
            .message(),
        PgoutputMessage.of('U').int4(1).row('N', "2", "z", "y").message(),
        PgoutputMessage.of('I').int4(1).row('N', "3", "z", "y").message());
    List<SourceEvent> events = events();
    RowChange change = (RowChange) ((Changed) events.get(0)).change();
    assertThat(change.match()).isEqualTo(rowOf("1"));
    assertThat(change.row()).isEqualTo(rowOf("2", "long", "y"));
    assertThat(change.before())
        .isEqualTo(new RowBuilder(16).add("1").addUnchanged().add("x").build());
    assertThat(events.subList(1, 4))
        .extracting(event -> ((RowChange) ((Changed) event).change()).before())
        .containsOnlyNulls();
  }

  @Test
  void aTransactionsPositionIsTheEndOfItsCommitItsTimeCountsFrom1970AndItsIdHasAnEpoch() {
    catalog.add("a", false, key("id"));
    decode(
        relation(1, "a", 'd', "id!"),
        begin(),
        PgoutputMessage.of('D').int4(1).row('K', "1").message(),
        commit(4711, 1_500_000));
    assertThat(events())
        .last()
        .isEqualTo(new Committed(new Position(4711), 946_684_801_500_000L, (1L << 32) + 7));
  }

  @Test
  void aColumnDroppedSinceKeepsTheNameAndTypeOfTheLog() {
    catalog.add("a", false, key("id"));
    decode(
        relation(1, "a", 'd', "gone", "id!"),
        begin(),
        PgoutputMessage.of('I').int4(1).row('N', "x", "1").message());
    assertThat(change(0).schema().columns())
        .containsExactly(new Column("gone", "type 25", true, false), key("id"));
  }

  @Test
  void aTableThatTheLogDescribesAgainIsReadFromTheCatalogAgain() {
    catalog.add("a", false, key("id"));
    ByteBuffer insert = PgoutputMessage.of('I').int4(1).row('N', "1").message();
    decode(relation(1, "a", 'd', "id!"), begin(), insert.duplicate());
    catalog.add("a", false, key("id"), plain("t"));
    decode(
        insert.duplicate(),
        relation(1, "a", 'd', "id!", "t"),
        PgoutputMessage.of('I').int4(1).row('N', "2", "x").message());
    assertThat(events())
        .extracting(event -> ((RowChange) ((Changed) event).change()).row().columns())
        .containsExactly(1, 1, 2);
  }

  @Test
  void aKeyThatChangedBeforeTheLogWasReadIsAnError() {
    catalog.add("a", false, plain("id"), key("n"));
    decode(relation(1, "a", 'd', "id!", "n"), begin());
    ByteBuffer delete = PgoutputMessage.of('D').int4(1).row('K', "1", null).message();
    assertThatThrownBy(() -> decode(delete))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("table public.a: its key is now [n]")
        .hasMessageContaining("the key [id]");
  }

  @Test
  void anOldKeyIsNotUsedAsTheOldRowOfATableWithoutKey() {
    catalog.add("a", true, plain("id"), plain("t"));
    decode(relation(1, "a", 'f', "id!", "t!"), begin());
    ByteBuffer delete = PgoutputMessage.of('D').int4(1).row('K', "1", null).message();
    assertThatThrownBy(() -> decode(delete))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("REPLICA IDENTITY FULL");
  }

  @Test
  void tablesThatAreNotCapturedGiveNoEvents() {
    catalog.add("a", false, key("id"));
    decode(
        relation(1, "a", 'd', "id!"),
        relation(2, "other", 'd', "id!"),
        begin(),
        PgoutputMessage.of('I').int4(2).row('N', "1").message(),
        PgoutputMessage.of('T').int4(1).int1(0).int4(2).message(),
        PgoutputMessage.of('I').int4(1).row('N', "2").message());
    assertThat(events()).hasSize(1);
  }

  @Test
  void aViolationOfTheProtocolIsAnError() {
    catalog.add("a", false, key("id"));
    decode(relation(1, "a", 'd', "id!"));
    ByteBuffer insert = PgoutputMessage.of('I').int4(1).row('N', "1").message();
    assertFatal("outside a transaction", insert.duplicate());
    decode(begin());
    assertFatal("before the previous one has ended", begin());
    assertFatal("relation 9", PgoutputMessage.of('I').int4(9).row('N', "1").message());
    assertFatal("kind 'S'", PgoutputMessage.of('S').int4(1).message());
    assertFatal("row of 2 columns", PgoutputMessage.of('I').int4(1).row('N', "1", "2").message());
    assertFatal(
        "value of kind 'b'", PgoutputMessage.of('I').int4(1).kind('N').int2(1).kind('b').message());
    assertFatal("row of kind 'X'", PgoutputMessage.of('D').int4(1).row('X', "1").message());
  }

  private void assertFatal(String message, ByteBuffer bytes) {
    assertThatThrownBy(() -> decoder.decode(bytes, Position.ZERO))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining(message);
  }

  private void decode(ByteBuffer... messages) {
    for (ByteBuffer message : messages) {
      decoder.decode(message, Position.ZERO);
    }
  }

  private List<SourceEvent> events() {
    return decoder.take().events();
  }

  private RowChange change(int index) {
    return (RowChange) ((Changed) events().get(index)).change();
  }

  private static Column key(String name) {
    return new Column(name, "text", false, true);
  }

  private static Column plain(String name) {
    return new Column(name, "text", true, false);
  }

  private static final class Catalog implements SourceTables {
    private final Map<TableId, SourceTable> tables = new HashMap<>();
    private final Set<TableId> wanted = new HashSet<>();

    void add(String name, boolean wholeRows, Column... columns) {
      TableId table = new TableId("public", name);
      tables.put(table, new SourceTable(table, table, List.of(columns), wholeRows, null, true));
    }

    @Override
    public Optional<SourceTable> describe(TableId table, Position place) {
      return Optional.ofNullable(tables.get(table));
    }

    @Override
    public String typeName(int type, int modifier) {
      return "type " + type;
    }

    @Override
    public Optional<Column> inCatalog(TableId table, String column) {
      return Optional.empty();
    }

    @Override
    public Set<TableId> leavesOf(TableId root, Position place) {
      return Set.of();
    }

    @Override
    public boolean wantsOldRows(TableId root) {
      return wanted.contains(root);
    }

    @Override
    public boolean isCaptured(TableId published) {
      return !published.name().equals("other");
    }

    @Override
    public boolean mayFollow(TableId unknown) {
      return true;
    }

    @Override
    public Optional<Definition> definition(int relation, String report) {
      return Optional.empty();
    }
  }
}
