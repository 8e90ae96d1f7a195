package dev.sluice.connector.postgres.check;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import dev.sluice.connector.api.source.catalog.SourceCatalog;
import dev.sluice.connector.postgres.publication.Publication;
import dev.sluice.connector.postgres.publication.PublicationShape;
import dev.sluice.connector.postgres.server.PostgresConfig;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Checks the publication, or the rights to create it. Owned by the thread that owns the connection.
 */
final class PublicationChecks {
  private final Connection connection;
  private final PostgresConfig config;
  private final Publication publication;

  PublicationChecks(Connection connection, PostgresConfig config, Publication publication) {
    this.connection = connection;
    this.config = config;
    this.publication = publication;
  }

  /**
   * The problems by which the catalog's tables cannot be published with all rows and operations.
   */
  List<Problem> problems(SourceCatalog catalog) throws SQLException {
    Optional<Problem> anothers = publication.anothers(connection);
    if (anothers.isPresent()) {
      return List.of(anothers.get());
    }
    List<Problem> problems = new ArrayList<>();
    Set<TableId> missing = new TreeSet<>();
    catalog.published().forEach(table -> missing.add(table.table()));
    if (publication.found(connection).exists()) {
      missing.removeAll(publication.found(connection).tables());
      PublicationShape.problem(connection, publication.name()).ifPresent(problems::add);
      for (PublicationShape.Entry entry :
          PublicationShape.entries(connection, publication.name())) {
        if (entry.hasColumnList() && catalog.table(entry.table()).isPresent()) {
          problems.add(PublicationShape.columnList(publication.name(), entry));
        }
      }
    } else {
      rightToCreate().ifPresent(problems::add);
    }
    for (TableId table : missing) {
      if (!catalog.table(table).map(CatalogTable::owned).orElse(true)) {
        problems.add(
            new Problem(
                "table " + table,
                "it belongs to another user, so " + user() + " cannot publish it",
                "the table in publication " + publication.name(),
                "As its owner run: ALTER PUBLICATION %s ADD TABLE ONLY %s; (CREATE PUBLICATION first if there is none), or GRANT the owner's role to %s"
                    .formatted(
                        TableId.quote(publication.name()), table.quoted(), TableId.quote(user()))));
      }
    }
    return problems;
  }

  private Optional<Problem> rightToCreate() throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "SELECT pg_catalog.has_database_privilege(pg_catalog.current_database(), 'CREATE')")) {
      rows.next();
      if (rows.getBoolean(1)) {
        return Optional.empty();
      }
      return Optional.of(
          new Problem(
              "publication " + publication.name(),
              "it does not exist, and " + user() + " may not create it",
              "the privilege CREATE on database " + config.endpoint().database(),
              "Run: GRANT CREATE ON DATABASE %s TO %s;"
                  .formatted(TableId.quote(config.endpoint().database()), TableId.quote(user()))));
    }
  }

  private String user() {
    return config.endpoint().user();
  }
}
