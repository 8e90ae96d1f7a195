package dev.sluice.connector.api.source.catalog;

import java.util.Map;

/**
 * What values hang on beside their type, as one side has it. Immutable.
 *
 * @param majorVersion such as 16
 * @param encoding of the database
 * @param moneyUnit what the money 1 is stored as: 100 with two digits of fraction
 * @param largeObjects whether the database has any
 * @param extensions by name of those that are installed, their schema
 * @param creatable by name of those that are not, whether this user may install them
 */
public record TypeServer(
    int majorVersion,
    String encoding,
    long moneyUnit,
    boolean largeObjects,
    Map<String, String> extensions,
    Map<String, Boolean> creatable) {

  public TypeServer {
    extensions = Map.copyOf(extensions);
    creatable = Map.copyOf(creatable);
  }
}
