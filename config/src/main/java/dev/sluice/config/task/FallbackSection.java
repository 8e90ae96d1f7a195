package dev.sluice.config.task;

import dev.sluice.config.document.Fields;
import dev.sluice.config.document.Node;
import dev.sluice.config.document.Problems;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Reads the section {@code fallback} of a task file. Used for one file, by one thread. */
final class FallbackSection {
  static final String KEY = "fallback";

  private static final String DATA_DIR = "data-dir";
  private static final String HTTP = "http";
  private static final int HIGHEST_PORT = 65_535;

  private final Function<Node.Mapping, Fields> within;
  private final Path folder;
  private final Problems problems;

  /**
   * @param within gives the fields of a section, with references resolved
   * @param folder the task file's
   */
  FallbackSection(Function<Node.Mapping, Fields> within, Path folder, Problems problems) {
    this.within = within;
    this.folder = folder;
    this.problems = problems;
  }

  /**
   * Only the directory of its daemon, for commands to it; no password is needed.
   *
   * @param forward the directory of the task's own daemon
   * @return empty if there is no section
   */
  Optional<Path> dataDir(Fields document, Path forward) {
    return document.mapping(KEY).map(section -> directory(within.apply(section), forward));
  }

  /** The section; empty if it is missing, or after a problem. */
  Optional<FallbackConfig> read(
      Fields document, Optional<Endpoint> target, Path forward, HttpAddress forwardHttp) {
    return document
        .mapping(KEY)
        .flatMap(section -> section(within.apply(section), target, forward, forwardHttp));
  }

  private Optional<FallbackConfig> section(
      Fields fields, Optional<Endpoint> target, Path forward, HttpAddress forwardHttp) {
    Optional<String> user =
        fields.requireText(
            "user",
            "the role that applies the way back on the old source, and does nothing else",
            "Create a role of its own there, and add a line such as user: sluice_back");
    Secret password = password(fields);
    Optional<Fields> reader = fields.mapping("reader").map(within);
    Optional<String> readerUser =
        reader.flatMap(
            named ->
                named.requireText(
                    "user",
                    "the role that reads the log of the new side",
                    "Add a line such as user: sluice_reader, or remove reader: the target's user"
                        + " is used then"));
    Secret readerPassword =
        reader
            .map(FallbackSection::password)
            .orElseGet(() -> target.map(Endpoint::password).orElse(Secret.NONE));
    reader.ifPresent(Fields::refuseOthers);
    Path dataDir = directory(fields, forward);
    HttpAddress http = http(fields, forwardHttp);
    List<ExternalOrigin> origins = ExternalOrigin.read(fields);
    CutoverConfig hooks = new CutoverSection(within, folder, problems).hooksOf(fields);
    fields.refuseOthers();
    if (user.isEmpty() || target.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        new FallbackConfig(
            user.get(),
            password,
            readerUser.orElse(target.get().user()),
            readerPassword,
            dataDir,
            http,
            origins,
            hooks));
  }

  private static Secret password(Fields fields) {
    return fields.text("password").map(Secret::of).orElse(Secret.NONE);
  }

  private Path directory(Fields fields, Path forward) {
    Path beside = forward.resolveSibling(forward.getFileName() + "-fallback");
    Optional<String> text = fields.text(DATA_DIR);
    if (text.isEmpty()) {
      return beside;
    }
    try {
      return folder.resolve(text.get()).normalize();
    } catch (InvalidPathException e) {
      fields.problem(DATA_DIR, "a path", "Remove the characters that are invalid in a path");
      return beside;
    }
  }

  /** Without a line of its own: the next port. */
  private static HttpAddress http(Fields fields, HttpAddress forward) {
    Optional<String> text = fields.text(HTTP);
    Optional<HttpAddress> named = text.flatMap(HttpAddress::parse);
    if (text.isPresent() && named.isEmpty()) {
      fields.problem(
          HTTP,
          "host:port with a port from 0 to 65535 (0 is any free port)",
          "Write it like 127.0.0.1:8081");
    }
    int next = forward.port() == 0 || forward.port() == HIGHEST_PORT ? 0 : forward.port() + 1;
    return named.orElseGet(() -> new HttpAddress(forward.host(), next));
  }
}
