package dev.sluice.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.embedded.postgres.strict.StrictProxy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What tasks have sent to a target that is as strict as YugabyteDB. Stateless. */
public final class SentToYugabyte {
  private static final Pattern USED =
      Pattern.compile(
          "^(CREATE TEMPORARY TABLE|CREATE TABLE|CREATE INDEX|CREATE UNIQUE INDEX|CREATE SCHEMA|COMMENT ON SCHEMA|COMMENT ON TABLE"
              + "|DROP TABLE|BEGIN ISOLATION LEVEL [A-Z ]+|SET LOCAL|SET|[A-Z]+(?: [A-Z]{4,})?)\\b"
              + "|\\b(pg_[a-z_]+|yb_[a-z_]+|unnest|hashtext|hashtextextended|hash_record_extended|record_send|sha256|setval|to_regclass|date_bin)\\b"
              + "|\\b(ON CONFLICT|FOR UPDATE|FOR SHARE|SKIP LOCKED|RETURNING|LATERAL|WITH RECURSIVE|OVERRIDING)\\b");

  private SentToYugabyte() {}

  /** Expects nothing that YugabyteDB refuses, or that the page for operators does not list. */
  public static void requireListed(StrictProxy proxy) throws IOException {
    assertThat(proxy.refused()).isEmpty();
    String page = Files.readString(Path.of("../docs/operate/yugabytedb.md"));
    int from = page.indexOf("## What is sent");
    Set<String> listed =
        Stream.of(page.substring(from, page.indexOf("\n## ", from + 1)).split("[,|\n]"))
            .map(String::strip)
            .collect(Collectors.toSet());
    Set<String> unlisted = new TreeSet<>();
    proxy.statements().stream().flatMap(SentToYugabyte::used).forEach(unlisted::add);
    unlisted.removeAll(listed);
    assertThat(unlisted)
        .as("statements, clauses, catalogs and functions that the page does not list")
        .isEmpty();
  }

  /** The kind of a statement, its clauses beyond plain SQL, and what it uses of the server. */
  private static Stream<String> used(String statement) {
    return USED.matcher(statement).results().map(found -> found.group().strip());
  }
}
