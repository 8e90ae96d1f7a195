package dev.sluice.sink.target.control;

import java.util.List;

/**
 * The definition of a control table. Immutable.
 *
 * @param key the columns of its primary key
 * @param index the columns of its other index; empty if it has none
 * @param oftenUpdated whether its rows change with each window, so that space for that helps
 */
public record ControlShape(
    List<ControlColumn> columns, List<String> key, List<String> index, boolean oftenUpdated) {}
