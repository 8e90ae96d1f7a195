package dev.sluice.config.task;

import dev.sluice.config.document.Fields;
import dev.sluice.config.document.Node;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** Reads one {@code exec} hook of a task file. Used for one file, by one thread. */
final class ExecHookSection {
  private static final Pattern REFERENCE = Pattern.compile("\\$\\{(env|file):");
  private static final String COMMAND = "a list: the program and its arguments";
  private static final String LIKE = "Write it like [./switch-dns, --to, new]";

  private final Fields fields;
  private final Path folder;

  /**
   * @param folder the task file's
   */
  ExecHookSection(Fields fields, Path folder) {
    this.fields = fields;
    this.folder = folder;
  }

  /** The hook; empty after a problem. */
  Optional<HookConfig> read() {
    int before = fields.problems().count();
    HookFields common = new HookFields(fields);
    fields.require("name", "the hook's name, for messages and the report", "Add name:");
    Optional<String> name = common.name();
    List<String> pause = command(common, "pause");
    List<String> switchOver = command(common, "switch");
    List<String> resume = command(common, "resume");
    Duration timeout = common.timeout();
    fields.refuseOthers();
    if (fields.problems().count() == before
        && pause.isEmpty()
        && switchOver.isEmpty()
        && resume.isEmpty()) {
      fields
          .problems()
          .add(
              fields.place(),
              "a hook without a command",
              "at least one of: pause, switch, resume",
              "Add one, or remove the hook");
    }
    return name.filter(known -> fields.problems().count() == before)
        .map(known -> new ExecHookConfig(known, folder, pause, switchOver, resume, timeout));
  }

  private List<String> command(HookFields common, String key) {
    List<String> command = new ArrayList<>();
    for (Node item : common.list(key, COMMAND, LIKE)) {
      word(item).ifPresent(command::add);
    }
    if (!command.isEmpty() && command.get(0).isBlank()) {
      fields.problem(key, COMMAND, LIKE);
    }
    return command;
  }

  /** References are refused: everybody on the machine can read a process's arguments. */
  private Optional<String> word(Node item) {
    Optional<String> word = Optional.ofNullable(Node.scalarText(item));
    if (word.isEmpty()) {
      fields.problems().add(item.place(), item.kind(), "a text", "Write a single value");
    } else if (REFERENCE.matcher(word.get()).find()) {
      fields
          .problems()
          .add(
              item.place(),
              "a reference in an argument",
              "no secret: everybody on the machine can read the arguments of a process",
              "Let the command read the value from a file that only it can read");
      return Optional.empty();
    }
    return word;
  }
}
