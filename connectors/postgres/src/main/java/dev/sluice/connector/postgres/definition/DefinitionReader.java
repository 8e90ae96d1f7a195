package dev.sluice.connector.postgres.definition;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.load.CompletionStep;
import dev.sluice.connector.api.load.CompletionStep.Kind;
import dev.sluice.connector.api.load.DefinitionStatement;
import dev.sluice.connector.api.load.TableDefinitions;
import dev.sluice.connector.postgres.server.SourceErrors;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Reads the source's catalog and creates the statements for the same tables on a target, with the
 * types, functions, sequences and extensions that they need. A view becomes a table. View queries,
 * rules, policies, owners and grants are not included. Owned by the thread that uses its
 * connection.
 */
public final class DefinitionReader {
  private final CatalogRows catalog;
  private final UnaryOperator<TableId> targetOf;
  private final int targetMajorVersion;
  private final Connection connection;
  private final boolean runsCode;

  /**
   * @param targetOf the target's name of a source's table or sequence
   * @param targetMajorVersion of the target's PostgreSQL, such as 16
   * @param runsCode whether code of the source's users may run on the target with the loader's
   *     rights
   */
  public DefinitionReader(
      Connection connection,
      UnaryOperator<TableId> targetOf,
      int targetMajorVersion,
      boolean runsCode) {
    this.connection = connection;
    this.runsCode = runsCode;
    this.catalog = new CatalogRows(connection);
    this.targetOf = targetOf;
    this.targetMajorVersion = targetMajorVersion;
  }

  /**
   * The definitions of the tables, without constraints and triggers.
   *
   * @throws SluiceException.Fatal naming the code that may not run
   * @throws SluiceException.Overtaken if a table was dropped
   */
  public TableDefinitions tables(List<TableId> tables) {
    Prerequisites prerequisites = new Prerequisites(catalog, targetMajorVersion);
    SequenceDefinitions sequences = new SequenceDefinitions(catalog, targetOf, prerequisites);
    RelationDefinitions relations =
        new RelationDefinitions(catalog, prerequisites, sequences, targetMajorVersion);
    RelationDetails relationDetails = new RelationDetails(catalog);
    IndexDefinitions indexes =
        new IndexDefinitions(catalog, targetOf, prerequisites, targetMajorVersion);
    List<DefinitionStatement> made = new ArrayList<>();
    List<DefinitionStatement> details = new ArrayList<>();
    List<CompletionStep> steps = new ArrayList<>();
    for (SourceRelation relation : new SourceRelations(catalog, targetOf).of(tables)) {
      try {
        made.addAll(relations.of(relation));
        details.addAll(relationDetails.of(relation));
        steps.addAll(indexes.of(relation));
      } catch (SQLException e) {
        throw SourceErrors.classify("read the definition of " + relation.table(), e);
      }
    }
    if (!runsCode) {
      // After the definitions were read, so that no code can be added to them unchecked.
      EvaluatedCode.requireNone(connection, tables);
    }
    made.addAll(sequences.owners());
    List<DefinitionStatement> needed = new ArrayList<>(prerequisites.statements());
    needed.addAll(sequences.statements());
    steps.sort(Comparator.comparingInt(CompletionStep::place));
    return new TableDefinitions(
        needed,
        made,
        details,
        steps.stream().filter(step -> step.kind() == Kind.KEY).toList(),
        steps.stream().filter(step -> step.kind() != Kind.KEY).toList());
  }

  /**
   * The constraints and triggers of tables that are on the target. Steps that lock tables are
   * numbered one after the other: two at the same time could deadlock.
   *
   * @throws SluiceException.Overtaken if a table was dropped
   */
  public List<CompletionStep> constraints(List<TableId> tables) {
    ConstraintDefinitions constraints =
        new ConstraintDefinitions(catalog, targetOf, targetMajorVersion, runsCode);
    TriggerDefinitions triggers =
        new TriggerDefinitions(catalog, targetOf, targetMajorVersion, runsCode);
    List<CompletionStep> found = new ArrayList<>();
    for (SourceRelation relation : new SourceRelations(catalog, targetOf).of(tables)) {
      try {
        found.addAll(constraints.of(relation));
        found.addAll(triggers.of(relation));
      } catch (SQLException e) {
        throw SourceErrors.classify("read the constraints of " + relation.table(), e);
      }
    }
    found.sort(Comparator.comparing(CompletionStep::kind));
    List<CompletionStep> placed = new ArrayList<>();
    for (CompletionStep step : found) {
      int place = step.kind() == Kind.VALIDATION ? Integer.MAX_VALUE : placed.size();
      placed.add(step.at(place));
    }
    return placed;
  }
}
