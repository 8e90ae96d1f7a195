package dev.sluice.connector.api.load;

/**
 * The format of rows between the source and the target: that of PostgreSQL's COPY. A source of
 * another kind writes {@link #TEXT}.
 */
public enum CopyFormat {
  /** PostgreSQL's text format: valid between all versions and types. */
  TEXT,
  /** PostgreSQL's binary format: faster, but only if types are exactly the same on both sides. */
  BINARY;

  /** The option list of a COPY statement. */
  public String options() {
    return this == BINARY ? "(FORMAT binary)" : "(FORMAT text)";
  }
}
