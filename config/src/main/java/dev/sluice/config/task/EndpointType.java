package dev.sluice.config.task;

/** What the task file must know about a type of database. Immutable. */
public interface EndpointType {

  /** The type as the task file names it, such as {@code postgresql}. */
  String name();

  UrlForm url();
}
