package dev.sluice.sink.target.control;

/** What a column of a control table stores; the dialect chooses the type. */
public enum ControlType {
  /** A name, which may be part of a key. */
  NAME,
  TEXT,
  /** A text of any length, which no statement compares. */
  LONG_TEXT,
  /** A list of texts, written and read by {@link ControlStatements}. */
  TEXTS,
  /** A position of the source, as text. */
  POSITION,
  JSON,
  BYTES,
  UUID,
  INTEGER,
  LONG,
  /** A whole number of any size. */
  NUMBER,
  BOOLEAN,
  /** An instant. */
  TIME,
  /** The time at which the row is written; it has no other value. */
  ROW_TIME,
  /** A number that the target gives to each row. */
  ROW_NUMBER
}
