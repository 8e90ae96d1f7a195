package dev.sluice.connector.generic.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class ConnectorPropertiesTest {

  @Test
  void allPropertiesThatSluiceOwnsAreRefusedAtOnceAndByName() {
    List<Problem> problems =
        of(Map.of(
                "provide.transaction.metadata",
                "false",
                "snapshot.mode",
                "never",
                "transforms",
                "route",
                "database.password",
                "secret"))
            .problems();
    assertThat(problems)
        .extracting(Problem::thing)
        .containsExactly(
            "source.debezium.properties, provide.transaction.metadata",
            "source.debezium.properties, snapshot.mode",
            "source.debezium.properties, transforms");
    assertThat(problems.get(0).found()).isEqualTo("it is false");
    assertThat(problems.get(0).expected()).isEqualTo("true");
    assertThat(problems.toString()).doesNotContain("secret");
  }

  @Test
  void changesDoNotWaitForDebeziumsIntervalUnlessTheFileSaysHowLong() {
    assertThat(of(Map.of()).complete("t", List.of(), ConnectorBeginning.ROWS, Map.of()))
        .containsEntry("poll.interval.ms", "50");
    ConnectorProperties slow = of(Map.of("poll.interval.ms", "700"));
    assertThat(slow.problems()).isEmpty();
    assertThat(slow.complete("t", List.of(), ConnectorBeginning.ROWS, Map.of()))
        .containsEntry("poll.interval.ms", "700");
  }

  @ParameterizedTest
  @CsvSource({
    "tombstones.on.delete, true",
    "offset.storage, x",
    "topic.prefix, x",
    "key.converter, x",
    "errors.max.retries, -1",
    "event.processing.failure.handling.mode, skip",
    "unavailable.value.placeholder, x",
    "time.precision.mode, connect",
    "decimal.handling.mode, double",
    "message.key.columns, x",
    "column.mask.with.0.chars, x",
    "column.truncate.to.10.chars, x",
    "signal.data.collection, x",
    "snapshot.select.statement.overrides, x",
    "heartbeat.action.query, DELETE",
    "post.processors, x",
    "message.prefix.include.list, x",
    "table.include.list, x",
    "skipped.operations, t",
    "publication.autocreate.mode, all_tables",
    "tasks.max, 2",
    "event.converting.failure.handling.mode, warn",
    "schema.exclude.list, shop",
    "database.exclude.list, shop",
    "gtid.source.excludes, x",
    "slot.stream.params, origin=none",
    "log.mining.username.exclude.list, x",
    "log.position.check.enable, false",
    "replica.identity.autoset.values, x",
    "flush.lsn.source, false",
    "sourceinfo.struct.maker, x",
    "transaction.metadata.factory, x",
    "internal.anything, x",
    "a.property.of.tomorrow, x"
  })
  void whatChangesTransactionsOffsetsOrValuesIsRefused(String name, String value) {
    assertThat(of(Map.of(name, value)).problems())
        .singleElement()
        .satisfies(problem -> assertThat(problem.thing()).contains(name));
  }

  @Test
  void aPropertyThatIsSetAsSluiceSetsItIsNoProblem() {
    assertThat(of(Map.of("tombstones.on.delete", "false", "slot.name", "s")).problems()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "database.sslmode",
        "database.ssl.truststore",
        "database.server.id",
        "driver.socketTimeout",
        "slot.name",
        "max.queue.size.in.bytes",
        "log.mining.strategy",
        "cdc.control.schema"
      })
  void loginsSizesAndNamesAreTheFilesOwn(String name) {
    assertThat(of(Map.of(name, "x")).problems()).isEmpty();
  }

  @Test
  void aConnectorOfWhichNothingIsKnownIsRefused() {
    assertThat(ConnectorProperties.problemOf("io.debezium.connector.mongodb.MongoDbConnector"))
        .hasValueSatisfying(
            problem ->
                assertThat(problem.expected()).contains("io.debezium.connector.db2.Db2Connector"));
    assertThat(ConnectorProperties.problemOf("io.debezium.connector.db2.Db2Connector")).isEmpty();
  }

  @Test
  void aTablesNameIsNoRegularExpression() {
    assertThat(
            of(Map.of())
                .complete(
                    "p",
                    List.of(new TableId("s", "a.b"), new TableId("s", "c,d")),
                    ConnectorBeginning.ROWS,
                    Map.of()))
        .containsEntry("table.include.list", "s\\.a\\.b,s\\.c\\,d");
  }

  @ParameterizedTest
  @EnumSource
  void eachConnectorCountsItsEvents(KnownConnector connector) {
    assertThat(
            new ConnectorProperties(connector, Map.of())
                .complete("p", List.of(), ConnectorBeginning.ROWS, Map.of()))
        .containsEntry("provide.transaction.metadata", "true")
        .containsEntry("skipped.operations", "none")
        .containsKey("time.precision.mode");
  }

  private static ConnectorProperties of(Map<String, String> given) {
    return new ConnectorProperties(KnownConnector.POSTGRESQL, given);
  }
}
