package dev.sluice.target.yugabytedb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.embedded.postgres.strict.Fault;
import dev.sluice.sink.control.schema.ControlSchema;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Control tables of which a definition stays, or fails. */
class YugabyteControlSchemaTest {
  private static final String SCHEMA = "control";

  private static final String VALID =
      "SELECT t.relname FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid"
          + " WHERE t.relnamespace = 'control'::regnamespace AND NOT i.indisprimary"
          + " AND i.indisvalid ORDER BY 1";

  private YugabyteLab database;

  @BeforeEach
  void open() throws SQLException {
    database = YugabyteLab.database();
  }

  @AfterEach
  void close() throws SQLException {
    assertThat(YugabyteLab.proxy().refused()).isEmpty();
    database.drop();
  }

  @Test
  void anIndexThatMeetsAConflictIsMade() throws SQLException {
    YugabyteLab.proxy().failOnce("create index", Fault.CONFLICT);
    ControlSchema.create(database.server(), SCHEMA);
    assertThat(texts(VALID)).isEqualTo(indexed());
    assertThat(YugabyteLab.proxy().faults().get(Fault.CONFLICT)).isPositive();
  }

  /** As its transaction may leave it, which was undone. */
  @Test
  void aTableThatIsThereWithoutItsIndexGetsIt() throws SQLException {
    ControlSchema.create(database.server(), SCHEMA);
    for (String index : texts(indexes())) {
      texts("DROP INDEX control.\"" + index + "\"");
    }
    ControlSchema.create(database.server(), SCHEMA);
    assertThat(texts(VALID)).isEqualTo(indexed());
  }

  @Test
  void anIndexThatIsInvalidIsMadeAgain() throws SQLException {
    ControlSchema.create(database.server(), SCHEMA);
    texts(
        "UPDATE pg_index SET indisvalid = false WHERE indexrelid IN"
            + " (SELECT oid FROM pg_class WHERE relname IN ('%s'))"
                .formatted(String.join("', '", texts(indexes()))));
    assertThat(texts(VALID)).isEmpty();
    ControlSchema.create(database.server(), SCHEMA);
    assertThat(texts(VALID)).isEqualTo(indexed());
    assertThat(texts(indexes())).hasSameSizeAs(indexed());
  }

  private static List<String> indexed() {
    return List.of("sluice_apply_exceptions", "sluice_validation_failures_v2");
  }

  private static String indexes() {
    return VALID
        .replace(
            "SELECT t.relname",
            "SELECT (SELECT relname FROM pg_class c WHERE c.oid = i.indexrelid)")
        .replace(" AND i.indisvalid", "");
  }

  /** What a statement returns; past the proxy. */
  private List<String> texts(String sql) throws SQLException {
    try (Connection session = database.connect();
        Statement statement = session.createStatement()) {
      List<String> texts = new ArrayList<>();
      if (statement.execute(sql)) {
        ResultSet row = statement.getResultSet();
        while (row.next()) {
          texts.add(row.getString(1));
        }
      }
      return texts;
    }
  }
}
