package dev.sluice.sink.apply.plan;

/** What becomes of columns that rows come with and the target lacks, where no DDL told of them. */
public enum UnknownColumns {
  /** They are added, where it is known what older rows hold in them. */
  ADDED,
  /** They are left out, as a user asked; but for those by which a row is matched. */
  LEFT_OUT,
  /** They are an error of the table. */
  REFUSED
}
