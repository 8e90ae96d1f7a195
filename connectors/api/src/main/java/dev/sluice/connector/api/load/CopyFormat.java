package dev.sluice.connector.api.load;

/** How rows travel from one COPY to the other. */
public enum CopyFormat {
  /** PostgreSQL's text form of each value: good between all versions and types. */
  TEXT,
  /** The server's own form: faster, and only where both sides' types agree exactly. */
  BINARY;

  /** The option list of a COPY statement. */
  public String options() {
    return this == BINARY ? "(FORMAT binary)" : "(FORMAT text)";
  }
}
