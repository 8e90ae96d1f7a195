package dev.sluice.engine.command;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** The arguments of a command for single tables, and its request to the daemon. */
final class TableCommand {
  /** The daemon answers after the window that is being applied. */
  private static final Duration ANSWER = Duration.ofMinutes(10);

  @Mixin private TaskFileArgument file;

  @Parameters(
      index = "1..*",
      arity = "1..*",
      paramLabel = "SCHEMA.TABLE",
      description =
          "A table by its name on the source, as the catalog spells it; a part with a dot or a"
              + " quote in double quotes. A partitioned table by its root.")
  private List<String> tables = new ArrayList<>();

  /** Posts the request and returns the exit code. */
  int post(String path) {
    String query = query(parsed(tables));
    DaemonClient.Answer answer = new DaemonClient(file.readHome()).post(path, query, ANSWER);
    answer.print(answer.success() ? System.out : System.err);
    if (answer.success()) {
      return ExitCode.DONE;
    }
    return answer.outcome().details().isEmpty() ? ExitCode.FAILED : ExitCode.BAD_INPUT;
  }

  static String query(List<TableId> tables) {
    return tables.stream()
        .map(table -> URLEncoder.encode(table.quoted(), StandardCharsets.UTF_8) + "=")
        .collect(Collectors.joining("&"));
  }

  /**
   * The tables' names.
   *
   * @throws SluiceException.Fatal naming each that is no table name
   */
  static List<TableId> parsed(List<String> tables) {
    List<TableId> parsed = new ArrayList<>();
    List<Problem> problems = new ArrayList<>();
    for (String table : tables) {
      try {
        parsed.add(TableId.parse(table));
      } catch (IllegalArgumentException e) {
        problems.add(
            new Problem(
                "the table " + table,
                "is not a table name",
                "SCHEMA.TABLE",
                "Write the schema too; a part with a dot in double quotes:"
                    + " '\"my.schema\".orders'"));
      }
    }
    if (!problems.isEmpty()) {
      throw new SluiceException.Fatal(problems);
    }
    return parsed;
  }
}
