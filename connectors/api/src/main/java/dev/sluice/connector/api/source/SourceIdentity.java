package dev.sluice.connector.api.source;

/**
 * The identity of a source. Positions are comparable only within one system and timeline.
 * Immutable.
 *
 * @param system identifier that the server or cluster got when it was created
 * @param timeline number that rises when a standby is promoted
 */
public record SourceIdentity(String system, int timeline) {

  /** For messages. */
  @Override
  public String toString() {
    return "system %s, timeline %d".formatted(system, timeline);
  }
}
