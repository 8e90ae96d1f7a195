package dev.sluice.config.task;

import java.util.Objects;

/** A password that prints as {@code ****}. Immutable. */
public final class Secret {

  /** No password: the JDBC driver uses its own sources, such as {@code .pgpass}. */
  public static final Secret NONE = new Secret("");

  private final String text;

  private Secret(String text) {
    this.text = text;
  }

  public static Secret of(String text) {
    return new Secret(Objects.requireNonNull(text, "text"));
  }

  public boolean isPresent() {
    return !text.isEmpty();
  }

  /** The password, for the JDBC driver only. */
  public String reveal() {
    return text;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Secret secret && secret.text.equals(text);
  }

  @Override
  public int hashCode() {
    return text.hashCode();
  }

  @Override
  public String toString() {
    return "****";
  }
}
