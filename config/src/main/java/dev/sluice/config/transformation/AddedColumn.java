package dev.sluice.config.transformation;

/**
 * A column that a rule adds to a table. The target's server computes it from the columns that are
 * carried, as a generated column, so that its values are the same whether rows were loaded or
 * changed. Immutable.
 *
 * @param rule the id of the transformation rule, for messages
 * @param name on the target
 * @param type as PostgreSQL's {@code format_type} prints it
 */
public record AddedColumn(String rule, String name, String type, ColumnExpression expression) {}
