package dev.sluice.connect;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.Test;

/** What a user unpacks on a worker's plugin path. */
final class PackedPluginTest {
  private static final Path PACKED = Path.of(System.getProperty("sluice.connect.plugin"));
  private static final String NAME = PACKED.getFileName().toString();
  private static final Path PLUGIN = PACKED.resolve(NAME);

  @Test
  void noClassOfAWorkersOwnIsInside() throws IOException {
    Set<String> classes = new TreeSet<>();
    for (Path jar : jars()) {
      try (JarFile content = new JarFile(jar.toFile())) {
        content.stream().map(JarEntry::getName).forEach(classes::add);
      }
    }
    assertThat(classes)
        .contains("dev/sluice/connect/SluiceSinkConnector.class", "org/postgresql/Driver.class")
        .noneMatch(name -> name.startsWith("io/debezium/"))
        .noneMatch(name -> name.startsWith("org/apache/kafka/"))
        .noneMatch(name -> name.startsWith("org/slf4j/"))
        .noneMatch(name -> name.startsWith("ch/qos/logback/"))
        .noneMatch(name -> name.startsWith("dev/sluice/engine/"));
  }

  @Test
  void theDriversOfTheTargetsAreInsideExceptDb2s() throws IOException {
    assertThat(isService("java.sql.Driver", "org.postgresql.Driver")).isTrue();
    assertThat(isService("java.sql.Driver", "org.mariadb.jdbc.Driver")).isTrue();
    assertThat(isService("java.sql.Driver", "com.ibm.db2.jcc.DB2Driver"))
        .as("its licence does not let us ship it")
        .isFalse();
    for (String target :
        List.of(
            "dev.sluice.sink.target.kind.PostgresTarget",
            "dev.sluice.target.mariadb.MariadbTarget",
            "dev.sluice.target.mariadb.MysqlTarget",
            "dev.sluice.target.yugabytedb.YugabyteTarget",
            "dev.sluice.target.db2.Db2Target")) {
      assertThat(isService("dev.sluice.config.task.TargetType", target)).as(target).isTrue();
    }
  }

  @Test
  void itsClassesAreNamedForAWorkerThatLoadsServices() throws IOException {
    assertThat(services("org.apache.kafka.connect.sink.SinkConnector"))
        .containsExactly("dev.sluice.connect.SluiceSinkConnector");
    assertThat(services("org.apache.kafka.connect.storage.Converter"))
        .containsExactly("dev.sluice.connect.converter.BinaryConverter");
  }

  @Test
  void theManifestTellsTheReleaseAndWhatItIs() throws IOException {
    JsonNode manifest = new ObjectMapper().readTree(PLUGIN.resolve("manifest.json").toFile());
    assertThat(manifest.path("name").asText() + "-" + manifest.path("version").asText())
        .isEqualTo(NAME);
    assertThat(manifest.path("component_types"))
        .extracting(JsonNode::asText)
        .containsExactly("sink", "converter");
    assertThat(manifest.path("features").path("delivery_guarantee"))
        .extracting(JsonNode::asText)
        .containsExactly("exactly_once");
    assertThat(manifest.path("license").path(0).path("name").asText()).contains("Apache");
    assertThat(manifest.toString()).as("all is filled in").doesNotContain("${");
    assertThat(PLUGIN.resolve("doc/LICENSE")).isNotEmptyFile();
  }

  @Test
  void eachLibraryOfOthersIsListedWithItsLicenceAndNoOther() throws IOException {
    List<String> listed =
        Pattern.compile("(?m)^ *\\(.+\\) .*\\([^ ]+:([^: ]+):([0-9][^: )]*) -")
            .matcher(Files.readString(PLUGIN.resolve("doc/THIRD-PARTY.txt")))
            .results()
            .map(found -> found.group(1) + "-" + found.group(2) + ".jar")
            .toList();
    assertThat(listed)
        .containsExactlyInAnyOrderElementsOf(
            jars().stream()
                .map(jar -> jar.getFileName().toString())
                .filter(jar -> !jar.startsWith("sluice-"))
                .toList());
    assertThat(PLUGIN.resolve("doc/NOTICE")).isNotEmptyFile();
  }

  @Test
  void folderZipAndTarHaveTheSameFiles() throws Exception {
    Set<String> files;
    try (Stream<Path> found = Files.walk(PACKED)) {
      files =
          found
              .filter(Files::isRegularFile)
              .map(file -> PACKED.relativize(file).toString())
              .collect(Collectors.toCollection(TreeSet::new));
    }
    assertThat(files).hasSizeGreaterThan(5);
    try (ZipFile zip = new ZipFile(PACKED.resolveSibling(NAME + ".zip").toFile())) {
      assertThat(zip.stream().filter(entry -> !entry.isDirectory()).map(entry -> entry.getName()))
          .containsExactlyInAnyOrderElementsOf(files);
    }
    assertThat(filesOfTar(PACKED.resolveSibling(NAME + ".tar.gz")))
        .containsExactlyInAnyOrderElementsOf(files);
  }

  private static List<String> filesOfTar(Path tar) throws Exception {
    Process list = new ProcessBuilder("tar", "-tzf", tar.toString()).start();
    String names = new String(list.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(list.waitFor()).isZero();
    return names.lines().filter(name -> !name.endsWith("/")).toList();
  }

  private static boolean isService(String service, String provider) throws IOException {
    return services(service).contains(provider);
  }

  /** What all jars name as providers of the service. */
  private static List<String> services(String service) throws IOException {
    List<String> providers = new ArrayList<>();
    for (Path jar : jars()) {
      try (JarFile content = new JarFile(jar.toFile())) {
        JarEntry entry = content.getJarEntry("META-INF/services/" + service);
        if (entry != null) {
          try (InputStream names = content.getInputStream(entry)) {
            new String(names.readAllBytes(), StandardCharsets.UTF_8)
                .lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                .forEach(providers::add);
          }
        }
      }
    }
    return providers;
  }

  private static List<Path> jars() throws IOException {
    try (Stream<Path> jars = Files.list(PLUGIN.resolve("lib"))) {
      return jars.filter(jar -> jar.toString().endsWith(".jar")).toList();
    }
  }
}
