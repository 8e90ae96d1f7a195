package dev.sluice.connector.api.comparison;

import java.util.Optional;

/**
 * A column of one side. Immutable.
 *
 * @param type as the catalog prints it, with modifiers
 * @param bareType the type under all domains, with modifiers
 * @param builtIn whether the bare type is the server's own, so that the other side has it too
 * @param exact whether two values of the bare type have the same binary form if and only if they
 *     have the same text
 * @param generated whether the server computes it
 * @param order names the order of its values: two columns whose orders are equal sort the same;
 *     empty if that is not known
 */
public record SideColumn(
    String name,
    String type,
    String bareType,
    boolean builtIn,
    boolean exact,
    boolean generated,
    Optional<String> order) {}
