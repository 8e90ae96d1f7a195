package dev.sluice.engine.validate.record;

import dev.sluice.config.task.Endpoint;
import dev.sluice.config.task.TaskConfig;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.comparison.SideIdentity;
import java.time.Instant;
import java.util.List;

/**
 * The common part of a record. Immutable; contains no secret and no user name.
 *
 * @param taskId which the task has on both sides
 * @param settings the session settings under which the statements give the same result
 * @param since the position of the source's log after which every row is read
 */
public record RecordHead(
    TaskConfig config,
    String taskId,
    SideIdentity source,
    SideIdentity target,
    String settings,
    Position since) {
  private static final String USE =
      """

      What this proves: each row of a table that is called equal below was the same on both sides,
      in the compared columns, as of a moment after the pass began. Equal numbers of rows and equal
      sums of their hashes, with random seeds, stand for equal rows. Rows that were changed while
      their part was read are left out of it; they are listed as such, and were compared by their
      keys in a later session.
      What it assumes: nobody but Sluice wrote to the target while the pass ran, and the servers
      answered truly. It says nothing about what happened after a table was read, nor about tables
      that are not listed, nor about columns that are not compared.
      More: docs/operate/validation.md, "The record".

      To check it again while both sides stand still:
        grep -E '^expected(-source)?: ' FILE | cut -d' ' -f2- > expected
        grep -E '^(settings|source): ' FILE | cut -d' ' -f2- | psql -qAtX SOURCE | diff expected -
        grep -E '^expected(-target)?: ' FILE | cut -d' ' -f2- > expected
        grep -E '^(settings|target): ' FILE | cut -d' ' -f2- | psql -qAtX TARGET | diff expected -
      Each line is: number of the part, rows, two sums of hashes. A line that differs on both sides
      in the same way is a part that was changed on both since.
      The last line is a checksum, the SHA-256 of all lines before it: head -n -1 FILE | sha256sum
      It shows an accident. It is no signature: who changes the file can compute it again.
      Keys of rows are in this file, and no other values. Keys are data of yours.
      """;

  /** The lines of the head, as comments, and the settings. */
  String text(Instant began, Instant ended, List<String> result) {
    StringBuilder text = new StringBuilder("Record of a validation by Sluice\n\n");
    text.append("task: %s, id %s\n".formatted(config.task(), taskId));
    text.append("Sluice: %s\n".formatted(version()));
    text.append("source: %s\n".formatted(side(config.source().endpoint(), source)));
    text.append("target: %s\n".formatted(side(config.target(), target)));
    text.append(
        "began %s, ended %s; each row read after the source's log was at %s\n"
            .formatted(began, ended, since));
    text.append("selection: %s\n".formatted(config.tableMappings().selection()));
    text.append("transformations: %s\n".formatted(config.tableMappings().transformations()));
    result.forEach(line -> text.append("result: ").append(line).append('\n'));
    text.append(USE);
    return RecordLines.comment(text.toString()) + "settings: " + settings + "\n";
  }

  private static String side(Endpoint at, SideIdentity identity) {
    return "%s:%d, database %s, %s, system identifier %s"
        .formatted(
            at.host(), at.port(), identity.database(), identity.version(), identity.system());
  }

  private static String version() {
    String version = RecordHead.class.getPackage().getImplementationVersion();
    return version == null ? "(unpackaged)" : version;
  }
}
