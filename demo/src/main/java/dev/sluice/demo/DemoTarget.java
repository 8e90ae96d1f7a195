package dev.sluice.demo;

import java.util.Locale;

/** The databases into which the demo can migrate. */
enum DemoTarget {
  POSTGRESQL,
  MARIADB;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
