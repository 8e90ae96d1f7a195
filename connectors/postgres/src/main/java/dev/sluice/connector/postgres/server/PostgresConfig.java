package dev.sluice.connector.postgres.server;

import dev.sluice.config.document.Fields;
import dev.sluice.config.task.Endpoint;
import dev.sluice.config.task.SourceConfig;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * A PostgreSQL source, and what Sluice may do there. Immutable.
 *
 * @param slotName the replication slot, created if it is missing
 * @param publicationName the publication, created if it is missing
 * @param replicaIdentityFull true: ALTER TABLE sets REPLICA IDENTITY FULL on tables without a
 *     replica identity; false: they are refused
 * @param triggersBesideSubscriptions true: event triggers are installed even if another publication
 *     sends the triggers' own tables to its subscribers; false: they are not installed then
 * @param takeSlot true: an existing slot of that name was created for this task, which owns it from
 *     the first start on; false: the start is refused if such a slot exists
 */
public record PostgresConfig(
    Endpoint endpoint,
    String slotName,
    String publicationName,
    boolean replicaIdentityFull,
    boolean triggersBesideSubscriptions,
    boolean takeSlot)
    implements SourceConfig {
  private static final Pattern NAME = Pattern.compile("[a-z_][a-z0-9_]{0,62}");

  /** With a slot that the task creates. */
  public PostgresConfig(
      Endpoint endpoint,
      String slotName,
      String publicationName,
      boolean replicaIdentityFull,
      boolean triggersBesideSubscriptions) {
    this(
        endpoint,
        slotName,
        publicationName,
        replicaIdentityFull,
        triggersBesideSubscriptions,
        false);
  }

  /** Reads PostgreSQL's keys of the section {@code source}. */
  public static Function<Endpoint, SourceConfig> read(Fields section, String defaultName) {
    String slot = name(section, "slot-name", defaultName);
    String publication = name(section, "publication-name", defaultName);
    boolean identityFull = section.toggle("replica-identity-full");
    boolean beside = section.toggle("triggers-beside-subscriptions");
    boolean takeSlot = section.toggle("take-slot");
    return endpoint ->
        new PostgresConfig(endpoint, slot, publication, identityFull, beside, takeSlot);
  }

  /** The same rights on another server, under other names. */
  public PostgresConfig at(Endpoint other, String name) {
    return new PostgresConfig(
        other, name, name, replicaIdentityFull, triggersBesideSubscriptions, false);
  }

  private static String name(Fields section, String key, String defaultName) {
    Optional<String> name = section.text(key);
    if (name.isPresent() && !NAME.matcher(name.get()).matches()) {
      section.problem(
          key,
          "1 to 63 lower-case letters, digits and _, not starting with a digit",
          "Choose another name, or remove the line: the default is sluice_ and the task's name");
    }
    return name.orElse(defaultName);
  }
}
