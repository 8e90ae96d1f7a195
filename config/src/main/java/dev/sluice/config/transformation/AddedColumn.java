package dev.sluice.config.transformation;

/**
 * A column that a rule adds to a target table. It is a generated column, which the target's server
 * computes from replicated columns, so that the load and changes give the same values. Immutable.
 *
 * @param rule the id of the transformation rule, for messages
 * @param name on the target
 * @param type as PostgreSQL's {@code format_type} prints it
 */
public record AddedColumn(String rule, String name, String type, ColumnExpression expression) {}
