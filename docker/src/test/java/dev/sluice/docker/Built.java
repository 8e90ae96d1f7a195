package dev.sluice.docker;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.images.builder.ImageFromDockerfile;

/** The repository with Maven's build results, and images built from them. */
final class Built {
  static final Path REPOSITORY = Path.of(System.getProperty("sluice.repository"));

  private Built() {}

  /** Skips the tests if there is no Docker engine, or nothing is packed. */
  static void assumeImagesCanBeMade() {
    assumeTrue(
        DockerClientFactory.instance().isDockerAvailable(),
        "no Docker engine is there; with one, mvn -Pdocker verify runs this test");
    assumeTrue(
        Files.isDirectory(REPOSITORY.resolve("engine/target/lib")),
        "nothing is packed; mvn verify packs it");
  }

  static ImageFromDockerfile daemon() {
    return image(
        "docker/daemon/Dockerfile",
        "engine/target/lib",
        "release/src/bin/sluice",
        "docker/health",
        "LICENSE");
  }

  static ImageFromDockerfile worker() {
    return image(
        "docker/connect/Dockerfile",
        "connect/worker/target/lib",
        "connect/worker/target/plugins",
        "connect/target/sluice-connect-" + System.getProperty("sluice.version") + ".tar.gz",
        "connect/run-worker",
        "docker/connect/start",
        "docker/health",
        "LICENSE");
  }

  private static ImageFromDockerfile image(String dockerfile, String... files) {
    ImageFromDockerfile image =
        new ImageFromDockerfile().withFileFromPath("Dockerfile", REPOSITORY.resolve(dockerfile));
    for (String file : files) {
      image.withFileFromPath(file, REPOSITORY.resolve(file));
    }
    return image;
  }
}
